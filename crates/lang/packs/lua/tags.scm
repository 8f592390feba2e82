; What the nodes of the Lua grammar are.

(comment) @comment

; Modules
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @alias)
  (expression_list . value: (function_call
    name: (identifier) @_require
    arguments: (arguments (string content: (_) @module)))))
  (#eq? @_require "require")) @import
(function_call
  name: (identifier) @_require
  arguments: (arguments (string content: (_) @module))
  (#eq? @_require "require")) @import.effect

; Functions
(function_declaration
  "local"
  name: (identifier) @name
  parameters: (_) @params
  body: (_)? @body
  (#set! visibility "private")) @definition.function
(function_declaration name: (identifier) @name parameters: (_) @params body: (_)? @body) @definition.function
(function_declaration
  name: (dot_index_expression table: (_) @qualifier field: (identifier) @name)
  parameters: (_) @params
  body: (_)? @body) @definition.function
(function_declaration
  name: (method_index_expression table: (_) @qualifier method: (identifier) @name)
  parameters: (_) @params
  body: (_)? @body) @definition.method
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition parameters: (_) @params body: (_)? @body)))
  (#set! visibility "private")) @definition.function
(assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition parameters: (_) @params body: (_)? @body))) @definition.function
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @qualifier field: (identifier) @name))
  (expression_list . value: (function_definition parameters: (_) @params body: (_)? @body))) @definition.function
(field
  name: (identifier) @name
  value: (function_definition parameters: (_) @params body: (_)? @body)) @definition.function

; Values of the file
(chunk (variable_declaration
  (assignment_statement (variable_list name: (identifier) @name)))
  @definition.variable
  (#set! visibility "private")
  (#set! header "line"))
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable (#set! header "line"))
(chunk (assignment_statement
  (variable_list . name: (dot_index_expression table: (identifier) @qualifier field: (identifier) @name)))
  @definition.variable
  (#set! header "line"))

; Uses
(function_call name: (identifier) @name) @reference.call
(function_call name: (dot_index_expression table: (_) @receiver field: (identifier) @name)) @reference.call
(function_call name: (method_index_expression table: (_) @receiver method: (identifier) @name)) @reference.call
