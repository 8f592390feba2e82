; What the nodes of the R grammar are.

(comment) @comment

(call
  function: (identifier) @_word
  arguments: (arguments . argument: (argument value: [(identifier) (string)] @module))
  (#any-of? @_word "library" "require" "requireNamespace" "loadNamespace")) @import.wildcard
(call
  function: (identifier) @_word
  arguments: (arguments . argument: (argument value: (string) @module))
  (#eq? @_word "source")) @import.effect

; Functions
(binary_operator
  lhs: [(identifier) (string)] @name
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition parameters: (_) @params body: (_) @body)) @definition.function
(binary_operator
  lhs: (extract_operator lhs: (_) @qualifier rhs: (_) @name)
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition parameters: (_) @params body: (_) @body)) @definition.function
(call
  function: (identifier) @_word
  arguments: (arguments . argument: (argument value: (string) @name))
  (#any-of? @_word "setGeneric" "setMethod" "setValidity" "setReplaceMethod")) @definition.function

; Classes
(binary_operator
  lhs: (identifier) @name
  rhs: (call function: [(identifier) @_word (namespace_operator rhs: (identifier) @_word)] arguments: (_) @body)
  (#any-of? @_word "R6Class" "setRefClass" "setClass" "new_class" "ggproto")) @definition.class
(call
  function: (identifier) @_word
  arguments: (arguments . argument: (argument value: (string) @name))
  (#any-of? @_word "setClass" "setRefClass")) @definition.class
(call
  function: (identifier) @_list
  arguments: (arguments argument: (argument name: (identifier) @name value: (function_definition parameters: (_) @params body: (_) @body)) @definition.function)
  (#any-of? @_list "list" "ggproto" "R6Class"))

; Values of the file
(program (binary_operator lhs: [(identifier) (string)] @name operator: ["<-" "="] @_op (#set! header "line")) @definition.variable)

; Tests
(call
  function: (identifier) @_word
  arguments: (arguments . argument: (argument value: (string) @name))
  (#any-of? @_word "test_that" "describe" "it")
  (#set! header "line")) @definition.test

; Uses
(call function: (identifier) @name) @reference.call
(call function: (namespace_operator lhs: (identifier) @receiver rhs: (identifier) @name)) @reference.call
(call function: (extract_operator lhs: (_) @receiver rhs: (identifier) @name)) @reference.call
(namespace_operator lhs: (identifier) @receiver rhs: (identifier) @name) @reference.read
