; What the nodes of the Protocol Buffers grammar are.
