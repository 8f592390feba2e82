; What the nodes of the Make grammar are.

(comment) @comment

(include_directive filenames: (list (word) @module)) @import.effect

(rule (targets (word) @name) (#not-match? @name "^[.][A-Z_]+$")) @definition.rule
(rule (targets (concatenation) @name)) @definition.rule
(variable_assignment name: (word) @name) @definition.variable
(shell_assignment name: (word) @name) @definition.variable
(define_directive name: (word) @name (#set! header "line")) @definition.macro

(rule normal: (prerequisites (word) @reference.read))
(variable_reference (word) @reference.read)
(substitution_reference text: (word) @reference.read)
(function_call function: _ @_call (arguments argument: (text) @reference.call) (#eq? @_call "call"))
