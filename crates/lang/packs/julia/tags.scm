; What the nodes of the Julia grammar are.

(line_comment) @comment
(block_comment) @comment

; Modules
(using_statement (selected_import . (_) @module (identifier) @name)) @import.item
(import_statement (selected_import . (_) @module (identifier) @name)) @import.item
(using_statement [(identifier) (scoped_identifier) (import_path)] @module @import.wildcard)
(import_statement (import_alias . (_) @module . (identifier) @alias) @import)
(import_statement [(identifier) (scoped_identifier) (import_path)] @module @import)
(call_expression (identifier) @_include (argument_list (string_literal) @module) (#eq? @_include "include")) @import.effect
(export_statement (identifier) @export)
(module_definition name: (identifier) @name (#set! header "line")) @definition.module

; Documentation before what it is for
(module_definition (string_literal) @doc)
(source_file (string_literal) @doc)

; Types
(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)] (operator) (_) @base)
]) (#set! header "line")) @definition.struct
(abstract_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)] (operator) (_) @base)
])) @definition.interface
(primitive_definition (type_head [(identifier) @name (binary_expression . (identifier) @name)])) @definition.type
(struct_definition (identifier) @name @definition.field)
(struct_definition (typed_expression . (identifier) @name . (_) @returns) @definition.field)
(macrocall_expression
  (macro_identifier (identifier) @_enum)
  (macro_argument_list . [(identifier) @name (typed_expression . (identifier) @name)])
  (#eq? @_enum "enum")) @definition.enum

; Functions
(function_definition (signature [
  (call_expression . [
    (identifier) @name
    (operator) @name
    (field_expression value: (_) @qualifier (identifier) @name)
    (parametrized_type_expression . (identifier) @name)
  ] (argument_list) @params)
  (typed_expression (call_expression . [
    (identifier) @name
    (field_expression value: (_) @qualifier (identifier) @name)
  ] (argument_list) @params) . (_) @returns)
  (where_expression (call_expression . [
    (identifier) @name
    (field_expression value: (_) @qualifier (identifier) @name)
    (parametrized_type_expression . (identifier) @name)
  ] (argument_list) @params))
  (where_expression (typed_expression (call_expression . [
    (identifier) @name
    (field_expression value: (_) @qualifier (identifier) @name)
  ] (argument_list) @params)))
]) (#set! header "line")) @definition.function
(function_definition (signature (identifier) @name)) @definition.function
(assignment . [
  (call_expression . [
    (identifier) @name
    (field_expression value: (_) @qualifier (identifier) @name)
  ] (argument_list) @params)
  (typed_expression . (call_expression . [(identifier) @name (field_expression value: (_) @qualifier (identifier) @name)] (argument_list) @params))
  (where_expression . (call_expression . [(identifier) @name (field_expression value: (_) @qualifier (identifier) @name)] (argument_list) @params))
] (#set! header "line")) @definition.function
(macro_definition (signature (call_expression . (identifier) @name (argument_list) @params)) (#set! header "line")) @definition.macro

; Values
(const_statement (assignment . [(identifier) @name (typed_expression . (identifier) @name)])) @definition.constant
(source_file (assignment . (identifier) @name) @definition.variable)
(module_definition (assignment . (identifier) @name) @definition.variable)
(module_definition (global_statement (assignment . (identifier) @name)) @definition.variable)

; Uses
(call_expression . (identifier) @name) @reference.call
(call_expression . (field_expression value: (_) @receiver (identifier) @name)) @reference.call
(broadcast_call_expression . (identifier) @name) @reference.call
(macrocall_expression (macro_identifier (identifier) @name)) @reference.expand
(typed_expression (_) . (identifier) @reference.type)
(parametrized_type_expression . (identifier) @reference.type)
