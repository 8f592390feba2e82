; What the nodes of the Groovy grammar are.
