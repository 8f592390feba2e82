; What the nodes of the Dart grammar are.

(comment) @comment
(documentation_comment) @comment

(library_name (_) @package)
(import_specification uri: (_) @module alias: (identifier)? @alias) @import
(library_export uri: (_) @module) @import.effect
(part_directive uri: (_) @module) @import.effect
(part_of_directive (_) @package)

; Types
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(class_declaration name: (identifier) @name superclass: (superclass type: (_) @base)) @definition.class
(class_declaration name: (identifier) @name superclass: (superclass (mixins (type) @base.mixes))) @definition.class
(class_declaration name: (identifier) @name interfaces: (interfaces (type) @base.implements)) @definition.class
(class_declaration (annotation) @attribute name: (identifier) @name) @definition.class
(mixin_declaration name: (identifier) @name body: (_) @body) @definition.trait
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_entry name: (identifier) @name) @definition.enum_member
(extension_declaration name: (identifier) @name class: (type)? @base body: (_) @body) @definition.impl
(type_alias . (type_identifier) @name) @definition.type
(type_alias . (_) . (type_identifier) @name) @definition.type

; Members
(member_declaration (declaration (constructor_signature . name: (identifier) @name . parameters: (_) @params))) @definition.constructor
(member_declaration (declaration (constructor_signature name: (identifier) . name: (identifier) @name parameters: (_) @params))) @definition.constructor
(member_declaration (method_declaration signature: (method_signature (constructor_signature name: (identifier) @name parameters: (_) @params)) body: (_)? @body)) @definition.constructor
(member_declaration (_ (method_signature (factory_constructor_signature name: (identifier) . name: (identifier) @name parameters: (_) @params)) body: (_)? @body)) @definition.constructor
(member_declaration (method_declaration (annotation)* @attribute
  signature: (method_signature (function_signature return_type: (_)? @returns name: (identifier) @name parameters: (_) @params))
  body: (_)? @body)) @definition.method
(member_declaration (method_declaration (annotation)* @attribute
  signature: (method_signature (getter_signature return_type: (_)? @returns name: (identifier) @name)) body: (_)? @body)
  (#set! modifier "getter")) @definition.property
(member_declaration (method_declaration (annotation)* @attribute
  signature: (method_signature (setter_signature name: (identifier) @name)) body: (_)? @body)
  (#set! modifier "setter")) @definition.property
(member_declaration (declaration (function_signature return_type: (_)? @returns name: (identifier) @name parameters: (_) @params))
  (#set! modifier "abstract")) @definition.method
(member_declaration (declaration (getter_signature return_type: (_)? @returns name: (identifier) @name))
  (#set! modifier "abstract")) @definition.property
(member_declaration (declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name)))) @definition.field
(member_declaration (declaration (static_final_declaration_list (static_final_declaration name: (identifier) @name)))) @definition.field
(member_declaration (declaration (identifier_list (identifier) @name))) @definition.field

; Top level
(function_declaration
  signature: (function_signature return_type: (_)? @returns name: (identifier) @name parameters: (_) @params)
  body: (_)? @body) @definition.function
(top_level_variable_declaration (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @definition.constant
(top_level_variable_declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name))) @definition.variable

(member_declaration (method_declaration
  signature: (method_signature (operator_signature return_type: (_)? @returns operator: (_) @name parameters: (_) @params))
  body: (_)? @body)) @definition.operator

; Uses
(call_expression function: (identifier) @name (#match? @name "^_?[A-Z]")) @reference.construct
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (member_expression object: (_) @receiver property: (identifier) @name)) @reference.call
(new_expression type: (type (type_identifier) @name)) @reference.construct
(member_expression object: (identifier) @reference.read (#match? @reference.read "^[A-Z]"))
(type (type_identifier) @reference.type)
(annotation name: (identifier) @reference.decorate)
