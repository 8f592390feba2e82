; What the nodes of the XML grammar are. An element with an id or a name is a symbol.

(Comment) @comment

(element
  (STag (Attribute (Name) @_key (AttValue) @name))
  (#any-of? @_key "id" "name" "Name" "x:Name" "xml:id" "key" "Include")) @definition.block
(element
  (EmptyElemTag (Attribute (Name) @_key (AttValue) @name))
  (#any-of? @_key "id" "name" "Name" "x:Name" "xml:id" "key" "Include")) @definition.block
