; What the nodes of the GraphQL grammar are.
