; What the nodes of the Vue grammar are.
