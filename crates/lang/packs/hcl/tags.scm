; What the nodes of the HCL grammar are.
