; What the nodes of the Nix grammar are.

(comment) @comment

(apply_expression
  function: (variable_expression name: (identifier) @_import)
  argument: (path_expression) @module
  (#eq? @_import "import")) @import
(binding attrpath: (attrpath) @_imports expression: (list_expression element: (path_expression) @import.effect) (#eq? @_imports "imports"))

(binding
  attrpath: (attrpath) @name
  expression: (function_expression formals: (formals) @params)
  (#set! header "line")) @definition.function
(binding
  attrpath: (attrpath) @name
  expression: (function_expression universal: (identifier) @param)
  (#set! header "line")) @definition.function
(binding attrpath: (attrpath) @name (#set! header "line") (#set! local "keep")) @definition.variable

(apply_expression function: (variable_expression name: (identifier) @name)) @reference.call
(apply_expression function: (select_expression expression: (_) @receiver attrpath: (attrpath) @name)) @reference.call
