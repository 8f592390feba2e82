; What the nodes of the Haskell grammar are.
