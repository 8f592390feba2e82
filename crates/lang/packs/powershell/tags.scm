; What the nodes of the PowerShell grammar are.
