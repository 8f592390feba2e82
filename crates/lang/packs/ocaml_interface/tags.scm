; What the nodes of the OCaml interface grammar are.

(comment) @comment

(open_module_signature module: (_) @module) @import.wildcard
(include_module_type module_type: (_) @module) @import.wildcard

(module_definition (module_binding (module_name) @name module_type: (_)? @body)) @definition.module
(module_type_definition (module_type_name) @name body: (_)? @body) @definition.interface
(type_definition (type_binding name: (type_constructor) @name body: (record_declaration) @body) @definition.struct (#set! lead "words"))
(type_definition (type_binding name: (type_constructor) @name body: (variant_declaration) @body) @definition.enum (#set! lead "words"))
(type_definition (type_binding name: (type_constructor) @name) @definition.type (#set! lead "words"))
(variant_declaration (constructor_declaration (constructor_name) @name) @definition.enum_member)
(field_declaration (field_name) @name type: (_) @returns) @definition.field
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.class
(class_definition (class_binding (class_name) @name)) @definition.class
(class_type_definition (class_type_binding (class_type_name) @name body: (_)? @body)) @definition.interface
(method_specification (method_name) @name) @definition.method
(value_specification (value_name) @name type: (function_type) @returns (#set! modifier "declaration")) @definition.function
(value_specification (value_name) @name type: (_) @returns (#set! modifier "declaration")) @definition.variable
(external (value_name) @name type: (_) @returns (#set! modifier "extern")) @definition.function

(type_constructor_path (extended_module_path)? @receiver (type_constructor) @name) @reference.type
