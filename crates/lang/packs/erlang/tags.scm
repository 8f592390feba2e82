; What the nodes of the Erlang grammar are.
