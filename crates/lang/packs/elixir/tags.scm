; What the nodes of the Elixir grammar are.
