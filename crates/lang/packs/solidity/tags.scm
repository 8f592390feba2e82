; What the nodes of the Solidity grammar are.

(comment) @comment

(import_directive import_name: (identifier) @name . alias: (identifier) @alias source: (string) @module) @import.item
(import_directive import_name: (identifier) @name source: (string) @module) @import.item
(import_directive . alias: (identifier) @alias source: (string) @module) @import
(import_directive source: (string) @module) @import.wildcard

; Types
(contract_declaration name: (identifier) @name body: (_) @body) @definition.class
(contract_declaration name: (identifier) @name (inheritance_specifier ancestor: (_) @base)) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(interface_declaration name: (identifier) @name (inheritance_specifier ancestor: (_) @base)) @definition.interface
(library_declaration name: (identifier) @name body: (_) @body) @definition.object
(struct_declaration name: (identifier) @name body: (_) @body) @definition.struct
(struct_member type: (_) @returns name: (identifier) @name) @definition.field
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_value) @name @definition.enum_member
(event_definition name: (identifier) @name) @definition.event
(event_definition name: (identifier) @name (event_parameter) @param) @definition.event
(error_declaration name: (identifier) @name) @definition.class
(user_defined_type_definition name: (identifier) @name) @definition.type

; Functions and values
(function_definition name: (identifier) @name body: (_)? @body) @definition.function
(function_definition name: (identifier) @name [(visibility) (virtual) (override_specifier)] @modifier) @definition.function
(function_definition name: (identifier) @name (parameter) @param) @definition.function
(function_definition name: (identifier) @name return_type: (return_type_definition (parameter) @returns)) @definition.function
(modifier_definition name: (identifier) @name body: (_)? @body) @definition.function
(modifier_definition name: (identifier) @name (parameter) @param) @definition.function
(constructor_definition "constructor" @name body: (_)? @body) @definition.constructor
(constructor_definition "constructor" @name (parameter) @param) @definition.constructor
(fallback_receive_definition ["fallback" "receive"] @name body: (_)? @body) @definition.function
(state_variable_declaration "constant" name: (identifier) @name) @definition.constant
(state_variable_declaration type: (_) @returns visibility: (_)? @modifier name: (identifier) @name) @definition.variable
(constant_variable_declaration type: (_) @returns name: (identifier) @name) @definition.constant

; Uses
(emit_statement name: (expression (identifier) @name)) @reference.construct
(revert_statement error: (expression (identifier) @name)) @reference.construct
(new_expression name: (type_name (user_defined_type (identifier) @name))) @reference.construct
(call_expression function: (expression (identifier) @name)) @reference.call
(call_expression function: (expression (member_expression object: (_) @receiver property: (identifier) @name))) @reference.call
(modifier_invocation (identifier) @name) @reference.decorate
(using_directive (type_alias (identifier) @reference.type))
(user_defined_type (identifier) @reference.type)
