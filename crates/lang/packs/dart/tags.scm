; What the nodes of the Dart grammar are.
