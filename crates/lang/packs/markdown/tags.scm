; What the nodes of the Markdown grammar are.
