; What the nodes of the YAML grammar are.
