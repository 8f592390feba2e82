; What the nodes of the Zig grammar are.

(comment) @comment

(variable_declaration
  (identifier) @alias
  (builtin_function (builtin_identifier) @_import (arguments (string) @module))
  (#eq? @_import "@import")) @import
(builtin_function (builtin_identifier) @_import (arguments (string) @module) (#eq? @_import "@import")) @import.effect

; Types
(variable_declaration . (identifier) @name (struct_declaration) @body) @definition.struct
(variable_declaration . (identifier) @name (opaque_declaration) @body) @definition.struct
(variable_declaration . (identifier) @name (enum_declaration) @body) @definition.enum
(variable_declaration . (identifier) @name (union_declaration) @body) @definition.union
(variable_declaration . (identifier) @name (error_set_declaration) @body) @definition.enum
(error_set_declaration (identifier) @name @definition.enum_member (#set! visibility "public"))
(enum_declaration (container_field name: (identifier) @name) @definition.enum_member (#set! visibility "public"))
(container_field name: (identifier) @name type: (_)? @returns (#set! visibility "public")) @definition.field

; Functions and values
(function_declaration
  name: (identifier) @name
  (parameters) @params
  type: (_)? @returns
  body: (_)? @body) @definition.function
(test_declaration [(string) (identifier)] @name (block) @body) @definition.test
(variable_declaration "const" . (identifier) @name type: (_)? @returns (#not-eq? @name "_")) @definition.constant
(variable_declaration "var" . (identifier) @name type: (_)? @returns (#not-eq? @name "_")) @definition.variable

; Uses
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression object: (_) @receiver member: (identifier) @name)) @reference.call
(struct_initializer . (identifier) @name) @reference.construct
(parameter type: (identifier) @reference.type)
(container_field type: (identifier) @reference.type)
(function_declaration type: (identifier) @reference.type)
(pointer_type (identifier) @reference.type)
(slice_type (identifier) @reference.type)
(nullable_type (identifier) @reference.type)
(error_union_type ok: (identifier) @reference.type)
