; What the nodes of the CSS grammar are.

(comment) @comment

(import_statement [(string_value) (call_expression (arguments (_)))] @import.effect)

(rule_set (selectors) @name (block) @body) @definition.rule
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.rule
((declaration (property_name) @name) (#match? @name "^--")) @definition.variable

((call_expression (function_name) @_var (arguments . (plain_value) @name))
  (#eq? @_var "var")) @reference.read
