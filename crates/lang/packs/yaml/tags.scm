; What the nodes of the YAML grammar are. Keys of the first three levels are symbols.

(comment) @comment

(document (block_node (block_mapping (block_mapping_pair key: (_) @name) @definition.key)))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair key: (_) @name) @definition.key))))))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair
  value: (block_node (block_mapping (block_mapping_pair key: (_) @name) @definition.key)))))))))

; Deeper, the names of operations and the addresses of servers: descriptions of endpoints are joined by them.
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair
  value: (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
    (block_mapping_pair key: (_) @name (#eq? @name "operationId")) @definition.key))))))))))))
(document (block_node (block_mapping (block_mapping_pair
  key: (_) @_servers (#eq? @_servers "servers")
  value: (block_node (block_sequence (block_sequence_item (block_node (block_mapping
    (block_mapping_pair key: (_) @name (#eq? @name "url")) @definition.key)))))))))

(alias (alias_name) @reference.read)
