; What the nodes of the Clojure grammar are.
