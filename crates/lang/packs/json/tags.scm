; What the nodes of the JSON grammar are. Keys of the first two levels are symbols; deeper ones are data.

(comment) @comment

(document (object (pair key: (string (string_content) @name) value: (_) @body) @definition.key))
(document (object (pair value: (object
  (pair key: (string (string_content) @name) value: (_) @body) @definition.key))))
