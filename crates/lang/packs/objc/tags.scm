; What the nodes of the Objective-C grammar are.
