; What the nodes of the HTML grammar are.

(comment) @comment

(element (start_tag (tag_name) @_link (attribute (attribute_name) @_href (quoted_attribute_value (attribute_value) @import.effect)))
  (#eq? @_link "link") (#eq? @_href "href"))
(script_element (start_tag (attribute (attribute_name) @_src (quoted_attribute_value (attribute_value) @import.effect))) (#eq? @_src "src"))

((element . (start_tag . (tag_name) @_h)) @name @definition.heading (#match? @_h "^[hH]1$") (#set! section "1") (#set! markup "text"))
((element . (start_tag . (tag_name) @_h)) @name @definition.heading (#match? @_h "^[hH]2$") (#set! section "2") (#set! markup "text"))
((element . (start_tag . (tag_name) @_h)) @name @definition.heading (#match? @_h "^[hH]3$") (#set! section "3") (#set! markup "text"))
((element . (start_tag . (tag_name) @_h)) @name @definition.heading (#match? @_h "^[hH]4$") (#set! section "4") (#set! markup "text"))
((element . (start_tag . (tag_name) @_h)) @name @definition.heading (#match? @_h "^[hH][56]$") (#set! section "5") (#set! markup "text"))
(element
  . (_ (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name)))
  (#eq? @_id "id")) @definition.block

(start_tag (tag_name) @reference.construct (#match? @reference.construct "-"))
(self_closing_tag (tag_name) @reference.construct (#match? @reference.construct "-"))
