; What the nodes of the HTML grammar are.
