; What the nodes of the Elixir grammar are.

(comment) @comment

; Modules
(call target: (identifier) @_word (arguments . (alias) @module) (#any-of? @_word "use" "require")) @import
(call target: (identifier) @_word (arguments . (alias) @module) (#eq? @_word "import")) @import.wildcard
(call
  target: (identifier) @_word
  (arguments . (alias) @module (keywords (pair key: (keyword) @_as value: (alias) @alias)))
  (#eq? @_word "alias") (#match? @_as "^as:")) @import
(call target: (identifier) @_word (arguments . (alias) @module) (#eq? @_word "alias")) @import
(call
  target: (identifier) @_word
  (arguments (dot left: (alias) @module right: (tuple (alias) @name)))
  (#any-of? @_word "alias" "import" "require" "use")) @import.item

(call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body (#eq? @_word "defmodule")) @definition.module
(call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body (#eq? @_word "defprotocol")) @definition.interface
(call
  target: (identifier) @_word
  (arguments . (alias) @base.implements (keywords (pair key: (keyword) @_for value: (_) @name)))
  (do_block) @body
  (#eq? @_word "defimpl") (#match? @_for "^for:")) @definition.impl
(call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body (#eq? @_word "defimpl")) @definition.impl

; Functions
(call
  target: (identifier) @_word
  (arguments . [
    (call target: (identifier) @name (arguments) @params)
    (identifier) @name
    (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "when")
    (binary_operator left: (identifier) @name operator: "when")
  ])
  (do_block)? @body
  (#any-of? @_word "def" "defp" "defn" "defnp")
  (#set! merge "clauses") (#set! header "line")) @definition.function
(call
  target: (identifier) @_word
  (arguments . (binary_operator operator: _ @name))
  (do_block)? @body
  (#any-of? @_word "def" "defp")
  (#not-eq? @name "when")
  (#set! merge "clauses") (#set! header "line")) @definition.operator
(call
  target: (identifier) @_word
  (arguments . [
    (call target: (identifier) @name (arguments) @params)
    (identifier) @name
    (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "when")
  ])
  (do_block)? @body
  (#any-of? @_word "defmacro" "defmacrop" "defguard" "defguardp")
  (#set! merge "clauses") (#set! header "line")) @definition.macro
(call
  target: (identifier) @_word
  (arguments . (call target: (identifier) @name (arguments) @params))
  (#eq? @_word "defdelegate")) @definition.function
(call target: (identifier) @_word @name (arguments) (#any-of? @_word "defstruct" "defexception")) @definition.struct

; Attributes of the module
(unary_operator operator: "@" operand: (call target: (identifier) @_word
  (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))
  (#any-of? @_word "type" "typep" "opaque")) @definition.type
(unary_operator operator: "@" operand: (call target: (identifier) @_word
  (arguments (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "::" right: (_) @returns)))
  (#any-of? @_word "callback" "macrocallback")
  (#set! modifier "abstract")) @definition.function
(unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments [(string) (sigil)] @doc.inner))
  (#eq? @_word "moduledoc"))
(unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments [(string) (sigil)] @doc))
  (#any-of? @_word "doc" "typedoc"))
(unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments (alias) @reference.inherit))
  (#eq? @_word "behaviour"))
(do_block (unary_operator operator: "@" operand: (call target: (identifier) @name (arguments)))
  @definition.constant
  (#not-any-of? @name "moduledoc" "doc" "typedoc" "spec" "type" "typep" "opaque" "callback" "macrocallback" "behaviour"
    "impl" "deprecated" "derive" "tag" "moduletag" "describetag" "enforce_keys" "before_compile" "after_compile"
    "optional_callbacks" "compile" "dialyzer" "on_load" "external_resource" "since"))

; Tests
(call target: (identifier) @_word (arguments . (string) @name) (do_block) @body (#any-of? @_word "test" "describe" "property")) @definition.test

; Uses
(unary_operator operator: "@" operand: (call target: (identifier) @_word
  (arguments (binary_operator left: (call target: (identifier) @reference.read))))
  (#eq? @_word "spec"))
(unary_operator operator: "@" operand: (identifier) @reference.read)
(call target: (dot left: (_) @receiver right: (identifier) @name)) @reference.call
(call
  target: (identifier) @name
  (#not-any-of? @name "def" "defp" "defmodule" "defmacro" "defmacrop" "defprotocol" "defimpl" "defstruct" "defexception"
    "defdelegate" "defguard" "defguardp" "use" "import" "alias" "require" "moduledoc" "doc" "typedoc" "spec" "type"
    "typep" "opaque" "callback" "test" "describe" "if" "unless" "case" "cond" "with" "for" "quote" "unquote"
    "receive" "try" "raise" "fn" "impl" "behaviour")) @reference.call
(binary_operator operator: "|>" right: (identifier) @reference.call)
(struct (alias) @reference.construct)
(alias) @reference.read
