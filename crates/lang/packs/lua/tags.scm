; What the nodes of the Lua grammar are.
