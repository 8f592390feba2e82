; What the nodes of the Make grammar are.

(comment) @comment

(include_directive filenames: (list (word) @import.effect))

; `.PHONY` and its like say something about rules and are none themselves.
(rule (targets (word) @name) (#not-match? @name "^\\.[A-Z_]+$")) @definition.rule
(variable_assignment name: (word) @name) @definition.variable
(shell_assignment name: (word) @name) @definition.variable
(define_directive name: (word) @name value: (_)? @body) @definition.macro

(prerequisites (word) @name) @reference.read
(variable_reference (word) @name) @reference.read
(function_call (arguments . argument: (text) @name)) @reference.call
