; What the nodes of the Swift grammar are.
