; What the nodes of the Dockerfile grammar are.
