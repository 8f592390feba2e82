; What the nodes of the SQL grammar are.
