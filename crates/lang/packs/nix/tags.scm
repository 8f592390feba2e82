; What the nodes of the Nix grammar are.
