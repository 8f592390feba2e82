; What the nodes of the Solidity grammar are.
