; What the nodes of the Razor grammar are.
