; What the nodes of the Groovy grammar are.

(line_comment) @comment
(block_comment) @comment

(package_declaration (_) @package)
(import_declaration (_) @module (asterisk)) @import.wildcard
(import_declaration (_) @module) @import

; Types
(class_declaration name: (identifier) @name superclass: (superclass (_) @base)? body: (_) @body) @definition.class
(class_declaration name: (identifier) @name interfaces: (super_interfaces (type_list (_) @base.implements))) @definition.class
(class_declaration (modifiers [(marker_annotation) (annotation)] @attribute) name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_constant name: (identifier) @name) @definition.enum_member
(annotation_type_declaration name: (identifier) @name) @definition.interface

; Members and functions
(method_declaration type: (_)? @returns name: (identifier) @name parameters: (_) @params body: (_)? @body) @definition.method
(method_declaration (modifiers [(marker_annotation) (annotation)] @attribute) name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name parameters: (_) @params body: (_) @body) @definition.constructor
(field_declaration type: (_)? @returns declarator: (variable_declarator name: (identifier) @name)) @definition.field
(function_definition name: (_) @name parameters: (_) @params body: (_)? @body) @definition.function
(juxt_function_call
  name: (identifier) @_task
  args: (argument_list . (identifier) @name)
  (#eq? @_task "task")) @definition.rule
(program (local_variable_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.variable)

; Uses
(method_invocation object: (_)? @receiver name: (identifier) @name) @reference.call
(juxt_function_call name: (identifier) @name) @reference.call
(object_creation_expression type: (type_identifier) @name) @reference.construct
[(marker_annotation name: (identifier) @name) (annotation name: (identifier) @name)] @reference.decorate
((type_identifier) @reference.type (#not-eq? @reference.type "def"))
