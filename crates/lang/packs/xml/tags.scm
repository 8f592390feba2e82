; What the nodes of the XML grammar are.
