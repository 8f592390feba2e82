; What the nodes of the OCaml grammar are.
