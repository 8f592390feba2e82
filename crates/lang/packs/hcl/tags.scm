; What the nodes of the HCL grammar are. A block is called by its labels: `aws_s3_bucket.logs`.

(comment) @comment

; A module's source is what it brings in.
((block (identifier) @_kind (body (attribute (identifier) @_key (expression (literal_value (string_lit) @import.effect)))))
  (#eq? @_kind "module")
  (#eq? @_key "source"))

((block (identifier) @_kind (string_lit) @name (body)? @body)
  (#any-of? @_kind "variable" "output")) @definition.variable
((block (identifier) @_kind (string_lit) @name (body)? @body)
  (#eq? @_kind "module")) @definition.module
(block (identifier) (string_lit) @name (string_lit) @name (body)? @body (#set! join ".")) @definition.block
(block (identifier) . (string_lit) @name . (block_start) (body)? @body) @definition.block
(block . (identifier) @name . (block_start) (body)? @body) @definition.block
(config_file (body (attribute . (identifier) @name) @definition.key))
((block . (identifier) @_kind (body (attribute . (identifier) @name) @definition.variable))
  (#eq? @_kind "locals"))

(expression (variable_expr (identifier) @receiver) . (get_attr (identifier) @name)) @reference.read
(function_call (identifier) @name) @reference.call
