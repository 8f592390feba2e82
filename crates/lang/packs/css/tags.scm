; What the nodes of the CSS grammar are.
