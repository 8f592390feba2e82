; What the nodes of the CSS grammar are.

(comment) @comment

(import_statement (string_value) @import.effect)
(import_statement (call_expression (arguments (string_value) @import.effect)))

((rule_set (selectors . (class_selector . (class_name) @name .) .) (block) @body) @definition.selector (#set! prefix "."))
((rule_set (selectors . (id_selector . (id_name) @name .) .) (block) @body) @definition.selector (#set! prefix "#"))
(rule_set (selectors) @name (block) @body) @definition.rule
(keyframes_statement (keyframes_name) @name (_) @body) @definition.rule
(at_rule (at_keyword) @name (block) @body) @definition.rule
(declaration (property_name) @name (#match? @name "^--")) @definition.variable

(call_expression (function_name) @_var (arguments . (plain_value) @reference.read) (#eq? @_var "var"))
(declaration (property_name) @_name (plain_value) @reference.read (#match? @_name "^animation"))

; Classes and ids inside of longer selectors.
((class_selector (class_name) @name) @definition.selector (#set! prefix "."))
((id_selector (id_name) @name) @definition.selector (#set! prefix "#"))
