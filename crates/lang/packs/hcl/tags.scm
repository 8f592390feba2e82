; What the nodes of the HCL grammar are.

(comment) @comment

(block
  . (identifier) @_module
  (body (attribute (identifier) @_source (expression (literal_value (string_lit) @module))) @import.effect)
  (#eq? @_module "module") (#eq? @_source "source"))

(config_file (body (block . (identifier) @_type . (string_lit (template_literal) @name)
  (#any-of? @_type "variable" "output")) @definition.variable))
(config_file (body (block (string_lit (template_literal) @name) (#set! join ".")) @definition.block))
(config_file (body (block . (identifier) @_locals (body (attribute (identifier) @name) @definition.variable)
  (#eq? @_locals "locals"))))
(config_file (body (block . (identifier) @name . (block_start)) @definition.block))
(config_file (body (attribute (identifier) @name) @definition.key))

(expression (variable_expr (identifier) @receiver) . (get_attr (identifier) @name)) @reference.read
(function_call (identifier) @name) @reference.call
