; What the nodes of the Julia grammar are.
