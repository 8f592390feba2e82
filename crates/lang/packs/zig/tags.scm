; What the nodes of the Zig grammar are.
