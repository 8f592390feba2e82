; What the nodes of the Shell grammar are.

(comment) @comment

(command
  name: (command_name (word) @_source)
  . argument: (_) @module
  (#any-of? @_source "source" ".")) @import.effect

(function_definition name: (word) @name body: (_) @body) @definition.function
(command
  name: (command_name (word) @_alias)
  argument: (concatenation . (word) @name)
  (#eq? @_alias "alias") (#set! trim "=")) @definition.function

(program (declaration_command ["readonly"] (variable_assignment name: (variable_name) @name) @definition.constant))
(program (declaration_command (word) @_flags (variable_assignment name: (variable_name) @name) @definition.constant
  (#match? @_flags "^-[a-zA-Z]*r")))
(program (declaration_command "export" (variable_assignment name: (variable_name) @name) @definition.variable
  (#set! modifier "exported")))
(program (declaration_command (variable_assignment name: (variable_name) @name) @definition.variable))
(program (variable_assignment name: (variable_name) @name) @definition.variable)

(command name: (command_name (word) @name) (#not-match? @name "[/.$:]")) @reference.call
(simple_expansion (variable_name) @reference.read)
(expansion (variable_name) @reference.read)
