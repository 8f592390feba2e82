; What the nodes of the PowerShell grammar are.

(comment) @comment

(command
  command_name: (command_name) @_using
  command_elements: (command_elements (generic_token) @_what . (command_argument_sep) . (generic_token) @module)
  (#match? @_using "^[uU]sing$")) @import
(command
  command_name: (command_name) @_import
  command_elements: (command_elements . (command_argument_sep)? . (generic_token) @module)
  (#match? @_import "^[iI]mport-[mM]odule$")) @import
(command (command_invokation_operator) @_dot command_name: (command_name_expr) @module (#eq? @_dot ".")) @import.effect

(function_statement (function_name) @name (#set! header "line")) @definition.function
(function_statement (function_name) @name (script_block (param_block (parameter_list) @params))) @definition.function
(class_statement . (simple_name) @name . (simple_name)? @base (#set! header "line")) @definition.class
(class_property_definition (class_attribute)? @modifier (variable) @name (#set! trim "$")) @definition.field
(class_method_definition (class_attribute)? @modifier (simple_name) @name (class_method_parameter_list)? @params (script_block) @body) @definition.method
(enum_statement . (simple_name) @name (#set! header "line")) @definition.enum
(enum_member (simple_name) @name) @definition.enum_member
(program (statement_list (pipeline (assignment_expression
  (left_assignment_expression) @name) @definition.variable
  (#match? @name "^[$][A-Za-z_:]+$") (#set! trim "$"))))
(command
  command_name: (command_name) @_word
  command_elements: (command_elements . (command_argument_sep)? . (array_literal_expression (unary_expression (string_literal) @name)))
  (#match? @_word "^(Describe|Context|It)$") (#set! header "line")) @definition.test

; Uses
(command command_name: (command_name) @name) @reference.call
(invokation_expression . (_) @receiver (member_name (simple_name) @name)) @reference.call
(type_literal (type_spec (type_name (type_identifier) @reference.type)))
