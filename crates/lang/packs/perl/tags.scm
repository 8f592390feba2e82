; What the nodes of the Perl grammar are.

(comment) @comment
(pod) @comment

(use_statement module: (package) @_base (string_literal) @reference.inherit (#any-of? @_base "parent" "base"))
(use_statement module: (package) @_base (quoted_word_list content: (_) @reference.inherit) (#any-of? @_base "parent" "base"))
(use_statement
  module: (package) @module
  (#not-any-of? @module "strict" "warnings" "utf8" "constant" "parent" "base" "lib" "feature" "vars" "integer" "bytes" "overload")) @import
(require_expression (bareword) @module) @import
(require_expression (string_literal) @module) @import.effect

(package_statement name: (package) @name (block) @body) @definition.module
(package_statement name: (package) @name (#set! section "1")) @definition.module
(class_statement name: (package) @name) @definition.class
(subroutine_declaration_statement name: (bareword) @name (signature)? @params body: (_)? @body) @definition.function
(method_declaration_statement name: (bareword) @name body: (_)? @body) @definition.method
(use_statement
  module: (package) @_constant
  (list_expression . (autoquoted_bareword) @name)
  (#eq? @_constant "constant")) @definition.constant
(use_statement
  module: (package) @_constant
  (anonymous_hash_expression (list_expression (autoquoted_bareword) @name @definition.constant))
  (#eq? @_constant "constant"))
(source_file (expression_statement (assignment_expression
  left: (variable_declaration "our" variable: (_ (varname) @name)))) @definition.variable)
(source_file (expression_statement (assignment_expression
  left: (variable_declaration "my" variable: (_ (varname) @name)))
  (#set! visibility "private")) @definition.variable)
(expression_statement (ambiguous_function_call_expression
  function: (function) @_has
  arguments: (list_expression . [(autoquoted_bareword) (string_literal)] @name)
  (#eq? @_has "has"))) @definition.field

; Uses
(function_call_expression function: (function) @name) @reference.call
(ambiguous_function_call_expression function: (function) @name) @reference.call
(method_call_expression invocant: (_) @receiver method: (method) @name) @reference.call
(method_call_expression invocant: (bareword) @reference.read)
