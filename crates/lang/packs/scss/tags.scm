; What the nodes of the SCSS grammar are.
