; What the nodes of the YAML grammar are. Keys of the first two levels are symbols; deeper ones are data.

(comment) @comment

(document (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @name) @definition.key)))
(document (block_node (block_mapping
  (block_mapping_pair value: (block_node (block_mapping
    (block_mapping_pair key: (flow_node) @name) @definition.key))))))

; Anchors and what points at them
(anchor (anchor_name) @name) @definition.variable
(alias (alias_name) @name) @reference.read
