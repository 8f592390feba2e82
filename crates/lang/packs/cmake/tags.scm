; What the nodes of the CMake grammar are.

(line_comment) @comment
(bracket_comment) @comment

(normal_command (identifier) @_word (argument_list . (argument) @module)
  (#match? @_word "^(include|find_package|INCLUDE|FIND_PACKAGE)$")) @import
(normal_command (identifier) @_word (argument_list . (argument) @module)
  (#match? @_word "^(add_subdirectory|ADD_SUBDIRECTORY|subdirs)$")) @import.effect

(function_def (function_command (argument_list . (argument) @name)) (body)? @body) @definition.function
(function_def (function_command (argument_list . (argument) @name (argument) @param))) @definition.function
(macro_def (macro_command (argument_list . (argument) @name)) (body)? @body) @definition.macro
(macro_def (macro_command (argument_list . (argument) @name (argument) @param))) @definition.macro
(normal_command (identifier) @_word (argument_list . (argument) @name)
  (#match? @_word "^(add_executable|add_library|add_custom_target|add_test|ADD_EXECUTABLE|ADD_LIBRARY|ADD_CUSTOM_TARGET)$")) @definition.rule
(normal_command (identifier) @_word (argument_list . (argument) @name)
  (#match? @_word "^(project|PROJECT)$")) @definition.module
(normal_command (identifier) @_word (argument_list . (argument) @name)
  (#match? @_word "^(set|option|SET|OPTION)$")) @definition.variable

(variable_ref (normal_var (variable) @reference.read))
(normal_command (identifier) @_word (argument_list (argument) @reference.read)
  (#match? @_word "^(target_link_libraries|add_dependencies|TARGET_LINK_LIBRARIES)$")
  (#not-match? @reference.read "^(PUBLIC|PRIVATE|INTERFACE)$|[$]"))
(normal_command (identifier) @name
  (#not-match? @name "^(set|option|project|if|include|message|add_executable|add_library|SET|OPTION|IF)$")) @reference.call
