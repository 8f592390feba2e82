; What the nodes of the Shell grammar are.
