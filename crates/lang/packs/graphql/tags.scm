; What the nodes of the GraphQL grammar are.

(comment) @comment

(object_type_definition (description)? @doc (name) @name (fields_definition)? @body) @definition.class
(object_type_definition (name) @name (implements_interfaces (named_type) @base.implements)) @definition.class
(object_type_definition (name) @name (implements_interfaces (implements_interfaces (named_type) @base.implements))) @definition.class
(object_type_extension (name) @name (fields_definition)? @body) @definition.impl
(interface_type_definition (description)? @doc (name) @name (fields_definition)? @body) @definition.interface
(input_object_type_definition (description)? @doc (name) @name (input_fields_definition)? @body) @definition.struct
(enum_type_definition (description)? @doc (name) @name (enum_values_definition)? @body) @definition.enum
(enum_value_definition (description)? @doc (enum_value) @name) @definition.enum_member
(union_type_definition (description)? @doc (name) @name) @definition.type
(scalar_type_definition (description)? @doc (name) @name) @definition.type
(directive_definition (description)? @doc (name) @name) @definition.macro
(field_definition (description)? @doc (name) @name (arguments_definition)? @params (type) @returns) @definition.field
(input_fields_definition (input_value_definition (description)? @doc . (name) @name (type) @returns) @definition.field)
(operation_definition (name) @name (selection_set) @body) @definition.function
(fragment_definition (fragment_name (name) @name)) @definition.function
(schema_definition "schema" @name) @definition.module

(named_type (name) @reference.type)
(directive (name) @reference.decorate)
(fragment_spread (fragment_name (name) @reference.call))
(operation_definition (selection_set (selection (field (name) @reference.call))))
