; What the nodes of the Objective-C grammar are.

(comment) @comment

(preproc_include path: (_) @module) @import.effect
(module_import path: (_) @module) @import

; Types
(class_interface . (identifier) @name category: (identifier) (#set! modifier "extension") (#set! header "line")) @definition.impl
(class_interface . (identifier) @name superclass: (identifier)? @base (#set! header "line")) @definition.class
(class_interface . (identifier) @name (parameterized_arguments (type_name (type_identifier) @base.implements))) @definition.class
(class_implementation . (identifier) @name (#set! header "line")) @definition.impl
(protocol_declaration . (identifier) @name (#set! header "line")) @definition.interface
(protocol_declaration . (identifier) @name (protocol_reference_list (identifier) @base)) @definition.interface
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.union
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.enum_member
(type_definition type: (macro_type_specifier name: (identifier) @_enum (ERROR (identifier) @name)) (#match? @_enum "^NS_")) @definition.enum
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (_ declarator: (type_identifier) @name)))) @definition.delegate
(field_declaration declarator: (field_identifier) @name) @definition.field

; Members
(method_declaration (identifier) @name (#set! join ":")) @definition.method
(method_definition (identifier) @name (#set! join ":") (#set! header "line")) @definition.method
(property_declaration (struct_declaration (struct_declarator (identifier) @name))) @definition.property
(property_declaration (struct_declaration (struct_declarator (pointer_declarator declarator: (identifier) @name)))) @definition.property
(instance_variable (struct_declaration (struct_declarator (identifier) @name)) (#set! visibility "private")) @definition.field
(instance_variable (struct_declaration (struct_declarator (pointer_declarator declarator: (identifier) @name))) (#set! visibility "private")) @definition.field

; Functions and values
(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name parameters: (_) @params)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params))
  ]
  body: (_) @body) @definition.function
(translation_unit (declaration
  declarator: [
    (function_declarator declarator: (identifier) @name parameters: (_) @params)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params))
  ]
  (#set! modifier "declaration")) @definition.function)
(translation_unit (declaration
  declarator: (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name)])) @definition.variable)
(translation_unit (declaration
  declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name)]) @definition.variable)
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name parameters: (_) @params) @definition.macro

; Uses
(message_expression receiver: (_) @receiver method: (identifier) @name) @reference.call
(message_expression receiver: (identifier) @reference.read (#match? @reference.read "^[A-Z]"))
(call_expression function: (identifier) @name) @reference.call
(type_identifier) @reference.type
