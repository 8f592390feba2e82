; What the nodes of the Haskell grammar are.

(comment) @comment
(haddock) @comment

(header module: (module) @package)
(header exports: (exports (export [variable: (_) type: (_) operator: (_)] @export)) (#set! closed "all"))
((import module: (module) @module names: (import_list name: (import_name [variable: (_) type: (_)] @name))) @import.item
  (#not-match? @import.item "\bhiding\b"))
(import "qualified" module: (module) @module alias: (module) @alias) @import
(import "qualified" module: (module) @module) @import
(import module: (module) @module alias: (module)? @alias) @import.wildcard

; Types
(data_type name: (name) @name) @definition.struct
(newtype name: (name) @name) @definition.struct
(type_synonym name: (name) @name) @definition.type
(type_family name: (name) @name) @definition.type
(data_family name: (name) @name) @definition.type
(data_constructor constructor: (_ name: (constructor) @name)) @definition.enum_member
(gadt_constructor name: (constructor) @name) @definition.enum_member
(newtype_constructor name: (constructor) @name) @definition.constructor
(field name: (field_name (variable) @name) type: (_) @returns) @definition.field
(class name: (name) @name declarations: (_)? @body) @definition.trait
(instance name: (name) @base.implements patterns: (_) @name declarations: (_)? @body) @definition.impl

; Functions: a signature and the equations after it are one
(signature name: (variable) @name type: (_) @returns (#set! merge "clauses")) @definition.function
(signature name: (prefix_id (_) @name) type: (_) @returns (#set! merge "clauses")) @definition.function
(function name: (variable) @name patterns: (_)? @params match: (_) @body (#set! merge "clauses")) @definition.function
(function name: (prefix_id (_) @name) match: (_) @body (#set! merge "clauses")) @definition.function
(function (infix operator: (operator) @name) match: (_) @body (#set! merge "clauses")) @definition.function
(function (infix operator: (infix_id (variable) @name)) match: (_) @body (#set! merge "clauses")) @definition.function
(declarations (bind name: (variable) @name match: (_) @body (#set! merge "clauses")) @definition.function)
(_ declaration: (bind name: (variable) @name match: (_) @body (#set! merge "clauses")) @definition.function)
(foreign_import signature: (signature name: (variable) @name type: (_) @returns) (#set! modifier "extern")) @definition.function
(pattern_synonym (equation synonym: (_ name: (constructor) @name))) @definition.function

; Uses
(apply function: (variable) @reference.call)
(apply function: (qualified module: (module) @receiver id: (variable) @name)) @reference.call
(infix operator: (operator) @reference.call)
(infix operator: (infix_id (variable) @reference.call))
(qualified module: (module) @receiver id: (variable) @name) @reference.read
(apply function: (constructor) @reference.construct)
(constructor) @reference.read
(exp (variable) @reference.call)
(name) @reference.type
