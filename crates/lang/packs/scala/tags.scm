; What the nodes of the Scala grammar are.
