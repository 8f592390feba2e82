; What the nodes of the JSON grammar are.
