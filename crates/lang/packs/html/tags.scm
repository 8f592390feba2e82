; What the nodes of the HTML grammar are. An element with an id is a symbol, and so is a heading.

(comment) @comment

(element (start_tag (attribute (attribute_name) @_key [(attribute_value) (quoted_attribute_value (attribute_value))] @name))
  (#eq? @_key "id")) @definition.block
(element (self_closing_tag (attribute (attribute_name) @_key [(attribute_value) (quoted_attribute_value (attribute_value))] @name))
  (#eq? @_key "id")) @definition.block
(element (start_tag (tag_name) @_tag) . (text) @name
  (#match? @_tag "^(h[1-6]|title)$")) @definition.heading

(script_element (start_tag (attribute (attribute_name) @_key (quoted_attribute_value (attribute_value) @import.effect)))
  (#eq? @_key "src"))
((element (start_tag (tag_name) @_tag (attribute (attribute_name) @_key (quoted_attribute_value (attribute_value) @import.effect))))
  (#eq? @_tag "link")
  (#eq? @_key "href"))

; Elements of one's own have a dash in their name.
(start_tag (tag_name) @name (#match? @name "-")) @reference.construct
(self_closing_tag (tag_name) @name (#match? @name "-")) @reference.construct
