; What the nodes of the Perl grammar are.
