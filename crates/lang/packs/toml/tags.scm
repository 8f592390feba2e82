; What the nodes of the TOML grammar are.

(comment) @comment

(table . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.block
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.block
(pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.key
