; What the nodes of the JSON grammar are. Keys of the first three levels are symbols.

(comment) @comment

(document (object (pair key: (string) @name) @definition.key))
(document (object (pair value: (object (pair key: (string) @name) @definition.key))))
(document (object (pair value: (object (pair value: (object (pair key: (string) @name) @definition.key))))))
; Deeper, the names of operations and the addresses of servers: descriptions of endpoints are joined by them.
(document (object (pair value: (object (pair value: (object (pair value: (object
  (pair key: (string) @name (#eq? @name "\"operationId\"")) @definition.key))))))))
(document (object (pair key: (string) @_servers (#eq? @_servers "\"servers\"")
  value: (array (object (pair key: (string) @name (#eq? @name "\"url\"")) @definition.key)))))
