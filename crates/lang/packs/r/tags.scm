; What the nodes of the R grammar are.
