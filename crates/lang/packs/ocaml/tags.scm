; What the nodes of the OCaml grammar are.

(comment) @comment

(open_module module: (_) @module) @import.wildcard
(include_module module: (_) @module) @import.wildcard

; Modules and types
(module_definition (module_binding (module_name) @name body: (_)? @body)) @definition.module
(module_type_definition (module_type_name) @name body: (_)? @body) @definition.interface
(type_definition (type_binding name: (type_constructor) @name body: (record_declaration) @body) @definition.struct (#set! lead "words"))
(type_definition (type_binding name: (type_constructor) @name body: (variant_declaration) @body) @definition.enum (#set! lead "words"))
(type_definition (type_binding name: (type_constructor) @name) @definition.type (#set! lead "words"))
(variant_declaration (constructor_declaration (constructor_name) @name) @definition.enum_member)
(field_declaration (field_name) @name type: (_) @returns) @definition.field
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.class
(class_definition (class_binding (class_name) @name body: (_)? @body)) @definition.class
(class_type_definition (class_type_binding (class_type_name) @name body: (_)? @body)) @definition.interface
(method_definition (method_name) @name body: (_)? @body) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.field

; Values: a binding with parameters is a function
(value_definition (let_binding pattern: (value_name) @name . (parameter) body: (_) @body) @definition.function (#set! lead "words"))
(value_definition (let_binding pattern: (value_name) @name (parameter) @param) @definition.function (#set! lead "words"))
(value_definition (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) @definition.function (#set! lead "words"))
(value_definition (let_binding pattern: (parenthesized_operator (_) @name) body: (_) @body) @definition.operator (#set! lead "words"))
(value_definition (let_binding pattern: (value_name) @name body: (_) @body) @definition.variable (#set! lead "words"))
(external (value_name) @name type: (_) @returns (#set! modifier "extern")) @definition.function
(value_specification (value_name) @name type: (_) @returns) @definition.function

; Uses
(application_expression function: (value_path (module_path)? @receiver (value_name) @name)) @reference.call
(new_expression (class_path (class_name) @name)) @reference.construct
(inheritance_definition class: (class_path (class_name) @name)) @reference.inherit
(method_invocation object: (_) @receiver method: (method_name) @name) @reference.call
(constructor_path (constructor_name) @name) @reference.construct
(type_constructor_path (extended_module_path)? @receiver (type_constructor) @name) @reference.type
(value_path (module_path) @receiver (value_name) @name) @reference.read
