; What the nodes of the TOML grammar are.

(comment) @comment

(table . [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key
(table_array_element . [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key
(document (pair . [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key)
(table (pair . [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key)
(table_array_element (pair . [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key)
