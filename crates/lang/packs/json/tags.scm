; What the nodes of the JSON grammar are. Keys of the first three levels are symbols.

(comment) @comment

(document (object (pair key: (string) @name) @definition.key))
(document (object (pair value: (object (pair key: (string) @name) @definition.key))))
(document (object (pair value: (object (pair value: (object (pair key: (string) @name) @definition.key))))))
