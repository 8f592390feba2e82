; What the nodes of the GraphQL grammar are.

(comment) @comment
(description) @doc.inner

(object_type_definition (name) @name (fields_definition)? @body) @definition.class
(object_type_extension (name) @name (fields_definition)? @body) @definition.impl
(interface_type_definition (name) @name (fields_definition)? @body) @definition.interface
(interface_type_extension (name) @name (fields_definition)? @body) @definition.impl
(input_object_type_definition (name) @name (input_fields_definition)? @body) @definition.struct
(enum_type_definition (name) @name (enum_values_definition)? @body) @definition.enum
(enum_value_definition (enum_value (name) @name)) @definition.enum_member
(union_type_definition (name) @name) @definition.union
(scalar_type_definition (name) @name) @definition.type
(directive_definition (name) @name) @definition.macro
(field_definition (name) @name (arguments_definition)? @params (type) @returns) @definition.field
(input_fields_definition (input_value_definition (name) @name (type) @returns) @definition.field)
(operation_definition (name) @name (selection_set) @body) @definition.function
(fragment_definition (fragment_name) @name (selection_set) @body) @definition.function

(implements_interfaces (named_type (name) @name) @reference.inherit)
(type (named_type (name) @name) @reference.type)
(non_null_type (named_type (name) @name) @reference.type)
(union_member_types (named_type (name) @name) @reference.type)
(root_operation_type_definition (named_type (name) @name) @reference.type)
(type_condition (named_type (name) @name) @reference.type)
(fragment_spread (fragment_name) @name) @reference.read
(selection (field (name) @name) @reference.read)
(directive (name) @name) @reference.decorate
