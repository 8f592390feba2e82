; What the nodes of the Scala grammar are.

(comment) @comment
(block_comment) @comment

(package_clause name: (_) @package)
(import_declaration
  path: (_) @module
  (namespace_selectors (arrow_renamed_identifier name: (_) @name alias: (_) @alias))) @import.item
(import_declaration path: (_) @module (namespace_selectors (identifier) @name)) @import.item
(import_declaration path: (_) @module (namespace_wildcard)) @import.wildcard
(import_declaration path: (_) @module) @import

; Types
(class_definition
  (annotation)* @attribute
  name: (identifier) @name
  class_parameters: (class_parameters)? @params
  body: (_)? @body) @definition.class
(object_definition
  (annotation)* @attribute
  name: (identifier) @name
  body: (_)? @body) @definition.object
(trait_definition
  (annotation)* @attribute
  name: (identifier) @name
  body: (_)? @body) @definition.trait
(enum_definition
  name: (identifier) @name
  body: (_) @body) @definition.enum
(simple_enum_case name: (identifier) @name) @definition.enum_member
(full_enum_case name: (identifier) @name) @definition.enum_member
(type_definition name: (type_identifier) @name) @definition.type
(package_object name: (identifier) @name body: (_)? @body) @definition.object

(class_definition name: (identifier) @name extend: (extends_clause type: (_) @base)) @definition.class
(object_definition name: (identifier) @name extend: (extends_clause type: (_) @base)) @definition.object
(trait_definition name: (identifier) @name extend: (extends_clause type: (_) @base)) @definition.trait
(enum_definition name: (identifier) @name extend: (extends_clause type: (_) @base)) @definition.enum

; Functions and values
(function_definition
  (annotation)* @attribute
  name: (_) @name
  parameters: (parameters)? @params
  return_type: (_)? @returns
  body: (_)? @body) @definition.function
(function_declaration
  name: (_) @name
  parameters: (parameters)? @params
  return_type: (_)? @returns
  (#set! modifier "abstract")) @definition.function
(val_definition (annotation)* @attribute pattern: (identifier) @name type: (_)? @returns (#match? @name "^[A-Z]")) @definition.constant
(val_definition (annotation)* @attribute pattern: (identifier) @name type: (_)? @returns) @definition.variable
(var_definition (annotation)* @attribute pattern: (identifier) @name type: (_)? @returns) @definition.variable
(val_declaration name: (identifier) @name type: (_)? @returns) @definition.variable
(var_declaration name: (identifier) @name type: (_)? @returns) @definition.variable
(given_definition name: (identifier) @name return_type: (_)? @returns) @definition.variable

; Uses
(instance_expression (type_identifier) @name) @reference.construct
(instance_expression (generic_type type: (type_identifier) @name)) @reference.construct
(call_expression function: (identifier) @name (#match? @name "^[A-Z]")) @reference.construct
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression value: (_) @receiver field: (identifier) @name)) @reference.call
(call_expression function: (generic_function function: (identifier) @name)) @reference.call
(call_expression function: (generic_function
  function: (field_expression value: (_) @receiver field: (identifier) @name))) @reference.call
(infix_expression operator: (identifier) @name) @reference.call
(field_expression value: (identifier) @reference.read (#match? @reference.read "^[A-Z]"))
(annotation name: (type_identifier) @reference.decorate)
(type_identifier) @reference.type
