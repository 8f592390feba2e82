; What the nodes of the TOML grammar are.
