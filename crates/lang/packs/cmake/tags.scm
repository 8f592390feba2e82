; What the nodes of the CMake grammar are.

(line_comment) @comment
(bracket_comment) @comment

(function_def
  (function_command (argument_list . (argument) @name))
  (body) @body) @definition.function
(macro_def
  (macro_command (argument_list . (argument) @name))
  (body) @body) @definition.macro

((normal_command (identifier) @_command (argument_list . (argument) @name))
  (#match? @_command "(?i)^(add_executable|add_library|add_custom_target|add_test)$")) @definition.rule
((normal_command (identifier) @_command (argument_list . (argument) @name))
  (#match? @_command "(?i)^(set|option)$")) @definition.variable
((normal_command (identifier) @_command (argument_list . (argument) @name))
  (#match? @_command "(?i)^project$")) @definition.module

((normal_command (identifier) @_command (argument_list . (argument) @module))
  (#match? @_command "(?i)^(include|add_subdirectory|find_package)$")) @import.effect

(normal_command (identifier) @name) @reference.call
((normal_command (identifier) @_command (argument_list (argument) @name))
  (#match? @_command "(?i)^target_link_libraries$")) @reference.read
(variable_ref (normal_var (variable) @name)) @reference.read
