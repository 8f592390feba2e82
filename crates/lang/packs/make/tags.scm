; What the nodes of the Make grammar are.
