; What the nodes of the Swift grammar are.

(comment) @comment
(multiline_comment) @comment

(import_declaration (identifier) @module) @import

; Types
(class_declaration
  declaration_kind: ["class" "actor"]
  name: (type_identifier) @name
  (inheritance_specifier inherits_from: (_) @base)*) @definition.class
(class_declaration
  declaration_kind: "struct"
  name: (type_identifier) @name
  (inheritance_specifier inherits_from: (_) @base.implements)*) @definition.struct
(class_declaration
  declaration_kind: "enum"
  name: (type_identifier) @name
  (inheritance_specifier inherits_from: (_) @base.implements)*) @definition.enum
(class_declaration
  declaration_kind: "extension"
  name: (_) @name
  (inheritance_specifier inherits_from: (_) @base.implements)*) @definition.impl
(protocol_declaration
  name: (type_identifier) @name
  (inheritance_specifier inherits_from: (_) @base)*) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(enum_entry name: (simple_identifier) @name) @definition.enum_member

; Functions. Patterns that name the kind of the name take seconds to compile.
(function_declaration "func" . _ @name (#match? @name "^[^ :(\n]+$") (#match? @name "^[^-+*/<>=!&|^~%?.]") (#set! returns "->")) @definition.function
(function_declaration "func" name: _ @name (#match? @name "^[-+*/<>=!&|^~%?.]+$") (#set! returns "->")) @definition.operator
(function_declaration "func" . _ @name (parameter) @param) @definition.function
(protocol_function_declaration "func" . _ @name (#set! modifier "abstract") (#set! returns "->")) @definition.function
(protocol_function_declaration "func" . _ @name (parameter) @param) @definition.function
(init_declaration "init" @name) @definition.constructor
(init_declaration "init" @name (parameter) @param) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name (#set! header "line") (#set! returns "->")) @definition.property
(subscript_declaration "subscript" @name (parameter) @param) @definition.property

; Values
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_) @body) @definition.property
(source_file (property_declaration
  (value_binding_pattern mutability: "let")
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) (type_annotation (_) @returns)) @definition.variable
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
