; What the nodes of the Razor grammar are.

(comment) @comment
(razor_comment) @comment

(razor_using_directive (_) @module) @import.wildcard
(using_directive (_) @module) @import.wildcard
(razor_namespace_directive (_) @package)
(razor_inherits_directive name: (_) @reference.inherit)
(razor_implements_directive name: (_) @reference.inherit)
(razor_model_directive name: (_) @reference.type)

(razor_inject_directive (variable_declaration type: (_) @returns (variable_declarator name: (identifier) @name))) @definition.field
(razor_section (identifier) @name) @definition.block
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(property_declaration type: (_) @returns name: (identifier) @name accessors: (_)? @body) @definition.property
(property_declaration (attribute_list (attribute) @attribute) name: (identifier) @name) @definition.property
(field_declaration (variable_declaration type: (_) @returns (variable_declarator name: (identifier) @name))) @definition.field
(local_function_statement type: (_) @returns name: (identifier) @name parameters: (_) @params body: (_)? @body) @definition.method
(method_declaration returns: (_) @returns name: (identifier) @name parameters: (_) @params body: (_)? @body) @definition.method

(invocation_expression function: (identifier) @name) @reference.call
(invocation_expression function: (member_access_expression expression: (_) @receiver name: (identifier) @name)) @reference.call
(object_creation_expression type: (identifier) @name) @reference.construct
(attribute name: (identifier) @name) @reference.decorate
(variable_declaration type: (identifier) @reference.type)
(parameter type: (identifier) @reference.type)
