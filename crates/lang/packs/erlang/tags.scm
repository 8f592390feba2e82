; What the nodes of the Erlang grammar are.

(comment) @comment

(module_attribute name: (atom) @package)
(module_attribute name: (atom) @name) @definition.module
(export_attribute funs: (fa fun: (atom) @export) (#set! closed "all"))
(export_type_attribute types: (fa fun: (atom) @export) (#set! closed "all"))
(import_attribute module: (atom) @module funs: (fa fun: (atom) @name)) @import.item
(pp_include file: (string) @module) @import.effect
(pp_include_lib file: (string) @module) @import.effect
(behaviour_attribute name: (atom) @reference.inherit)

(record_decl name: (atom) @name) @definition.struct
(record_decl fields: (record_field name: (atom) @name) @definition.field)
(type_alias name: (type_name name: (atom) @name)) @definition.type
(opaque name: (type_name name: (atom) @name)) @definition.type
(pp_define lhs: (macro_lhs name: (_) @name args: (_)? @params)) @definition.macro
(callback fun: (atom) @name (#set! modifier "abstract") (#set! visibility "public")) @definition.function

; A specification and the clauses after it are one function
(spec fun: (atom) @name (#set! merge "clauses")) @definition.function
(fun_decl clause: (function_clause name: (atom) @name args: (_) @params body: (_) @body) (#set! merge "clauses")) @definition.function

; Uses
(type_sig args: (expr_args args: (call expr: (atom) @reference.type)))
(type_sig ty: (call expr: (atom) @reference.type))
(type_alias ty: (call expr: (atom) @reference.type))
(type_alias ty: (list exprs: (call expr: (atom) @reference.type)))
(field_type expr: (call expr: (atom) @reference.type))
(remote module: (remote_module module: (_) @receiver) fun: (call expr: (atom) @name)) @reference.call
(call expr: (atom) @name) @reference.call
(record_expr name: (record_name name: (atom) @name)) @reference.construct
(record_field_expr name: (record_name name: (atom) @name)) @reference.type
(macro_call_expr name: (_) @name) @reference.expand
(internal_fun fun: (atom) @name) @reference.read
