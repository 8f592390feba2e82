; What the nodes of the Vue grammar are.

(comment) @comment

(element
  . (_ (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name)))
  (#eq? @_id "id")) @definition.block

(start_tag (tag_name) @reference.construct (#match? @reference.construct "^[A-Z]|-"))
(self_closing_tag (tag_name) @reference.construct (#match? @reference.construct "^[A-Z]|-"))
