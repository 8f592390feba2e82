; What the nodes of the Swift grammar are.

(comment) @comment
(multiline_comment) @comment

(import_declaration (identifier) @module) @import

; Types
(class_declaration
  (modifiers (attribute)* @attribute)?
  declaration_kind: ["class" "actor"]
  name: (type_identifier) @name
  (inheritance_specifier inherits_from: (_) @base)*
  body: (_) @body) @definition.class
(class_declaration
  (modifiers (attribute)* @attribute)?
  declaration_kind: "struct"
  name: (type_identifier) @name
  (inheritance_specifier inherits_from: (_) @base.implements)*
  body: (_) @body) @definition.struct
(class_declaration
  (modifiers (attribute)* @attribute)?
  declaration_kind: "enum"
  name: (type_identifier) @name
  (inheritance_specifier inherits_from: (_) @base.implements)*
  body: (_) @body) @definition.enum
(class_declaration
  (modifiers (attribute)* @attribute)?
  declaration_kind: "extension"
  name: (_) @name
  (inheritance_specifier inherits_from: (_) @base.implements)*
  body: (_) @body) @definition.impl
(protocol_declaration
  (modifiers (attribute)* @attribute)?
  name: (type_identifier) @name
  (inheritance_specifier inherits_from: (_) @base)*
  body: (_) @body) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(enum_entry name: (simple_identifier) @name) @definition.enum_member

; Functions
(function_declaration
  (modifiers (attribute)* @attribute)?
  name: (simple_identifier) @name
  name: [(user_type) (optional_type) (array_type) (dictionary_type) (tuple_type) (function_type) (opaque_type) (existential_type)]? @returns
  body: (_)? @body) @definition.function
(function_declaration "func" . name: _ @name body: (_)? @body) @definition.operator
(protocol_function_declaration
  name: (simple_identifier) @name
  name: [(user_type) (optional_type) (array_type) (dictionary_type) (tuple_type) (function_type)]? @returns
  (#set! modifier "abstract")) @definition.function
(init_declaration
  (modifiers (attribute)* @attribute)?
  name: "init" @name body: (_)? @body) @definition.constructor
(deinit_declaration "deinit" @name body: (_) @body) @definition.method
(subscript_declaration "subscript" @name) @definition.property

(function_declaration "func" . name: _ @name (parameter) @param) @definition.function
(protocol_function_declaration name: (simple_identifier) @name (parameter) @param) @definition.function
(init_declaration name: "init" @name (parameter) @param) @definition.constructor
(subscript_declaration "subscript" @name (parameter) @param) @definition.property

; Values
(property_declaration
  (modifiers (attribute)* @attribute)?
  name: (pattern bound_identifier: (simple_identifier) @name)
  (type_annotation (_) @returns)?
  computed_value: (_) @body) @definition.property
(source_file (property_declaration
  (value_binding_pattern mutability: "let")
  name: (pattern bound_identifier: (simple_identifier) @name)
  (type_annotation (_) @returns)?) @definition.constant)
(property_declaration
  (modifiers (attribute)* @attribute)?
  name: (pattern bound_identifier: (simple_identifier) @name)
  (type_annotation (_) @returns)?) @definition.variable
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  (type_annotation (_) @returns)?) @definition.property
(operator_declaration (custom_operator) @name) @definition.operator

; Uses
(call_expression . (simple_identifier) @name (#match? @name "^[A-Z]")) @reference.construct
(call_expression . (simple_identifier) @name) @reference.call
(call_expression . (additive_expression rhs: (simple_identifier) @name)) @reference.call
(call_expression
  . (navigation_expression
      target: (_) @receiver
      suffix: (navigation_suffix suffix: (simple_identifier) @name))) @reference.call
(navigation_expression target: (simple_identifier) @reference.read (#match? @reference.read "^[A-Z]"))
(attribute (user_type (type_identifier) @reference.decorate))
(user_type (type_identifier) @reference.type)
