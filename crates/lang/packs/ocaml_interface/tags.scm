; What the nodes of the OCaml interface grammar are.
