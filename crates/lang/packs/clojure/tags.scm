; What the nodes of the Clojure grammar are.

(comment) @comment

; Namespaces
(source (list_lit . value: (sym_lit name: (sym_name) @_ns) . value: (sym_lit name: (sym_name) @package)) (#eq? @_ns "ns"))
(source (list_lit . value: (sym_lit name: (sym_name) @_ns) . value: (sym_lit name: (sym_name) @name) . value: (str_lit)? @doc
  (#eq? @_ns "ns") (#set! header "line")) @definition.module)
(list_lit
  . value: (kwd_lit name: (kwd_name) @_require)
  value: (vec_lit . value: (sym_lit name: (sym_name) @module) value: (kwd_lit name: (kwd_name) @_as) . value: (sym_lit name: (sym_name) @alias)) @import
  (#any-of? @_require "require" "use" "require-macros") (#eq? @_as "as"))
(list_lit
  . value: (kwd_lit name: (kwd_name) @_require)
  value: (vec_lit . value: (sym_lit name: (sym_name) @module) value: (kwd_lit name: (kwd_name) @_refer) . value: (vec_lit value: (sym_lit name: (sym_name) @name))) @import.item
  (#any-of? @_require "require" "use" "require-macros") (#eq? @_refer "refer"))
(list_lit
  . value: (kwd_lit name: (kwd_name) @_require)
  value: (vec_lit . value: (sym_lit name: (sym_name) @module)) @import
  (#any-of? @_require "require" "use" "require-macros"))
(list_lit
  . value: (kwd_lit name: (kwd_name) @_require)
  value: (sym_lit name: (sym_name) @module) @import
  (#any-of? @_require "require" "use" "import"))
(list_lit
  . value: (kwd_lit name: (kwd_name) @_import)
  value: [(list_lit . value: (sym_lit name: (sym_name) @module) value: (sym_lit name: (sym_name) @name)) (vec_lit . value: (sym_lit name: (sym_name) @module) value: (sym_lit name: (sym_name) @name))] @import.item
  (#eq? @_import "import"))

; Definitions
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit meta: (meta_lit value: (kwd_lit name: (kwd_name) @modifier))? name: (sym_name) @name)
  . value: (str_lit)? @doc
  value: (vec_lit)? @params
  (#any-of? @_word "defn" "defn-" "defmulti") (#set! header "line")) @definition.function
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit name: (sym_name) @name)
  . value: (str_lit)? @doc
  (#eq? @_word "defmacro") (#set! header "line")) @definition.macro
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit name: (sym_name) @name)
  (#eq? @_word "defmethod") (#set! header "line")) @definition.method
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit name: (sym_name) @name)
  . value: (str_lit)? @doc
  (#eq? @_word "defprotocol") (#set! header "line")) @definition.interface
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  value: (list_lit . value: (sym_lit name: (sym_name) @name) . value: (vec_lit) @params value: (str_lit)? @doc) @definition.method
  (#any-of? @_word "defprotocol" "defrecord" "deftype" "extend-type" "reify") (#set! header "line"))
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit name: (sym_name) @name)
  . value: (vec_lit)? @params
  (#any-of? @_word "defrecord" "deftype" "defstruct") (#set! header "line")) @definition.struct
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit name: (sym_name) @name)
  (#eq? @_word "extend-type") (#set! header "line")) @definition.impl
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit name: (sym_name) @name)
  (#any-of? @_word "deftest" "defspec") (#set! modifier "test") (#set! header "line")) @definition.function
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit meta: (meta_lit value: (kwd_lit name: (kwd_name) @modifier))? name: (sym_name) @name)
  . value: (str_lit)? @doc
  (#any-of? @_word "def" "defonce") (#set! header "line")) @definition.variable

; Uses
(list_lit . value: (sym_lit namespace: (sym_ns)? @receiver name: (sym_name) @name)
  (#not-match? @name "^(def[a-z-]*|ns|let|if|when|fn|do|cond|case|loop|recur|for|doseq|if-let|when-let|and|or|not|quote|->|->>|\\.+)$")) @reference.call
(sym_lit namespace: (sym_ns) @receiver name: (sym_name) @name) @reference.read
