; What the nodes of the XML grammar are.

(Comment) @comment

(element [(STag (Attribute (Name) @_id (AttValue) @name)) (EmptyElemTag (Attribute (Name) @_id (AttValue) @name))]
  (#any-of? @_id "id" "xml:id" "x:Name" "android:id")) @definition.block
(element [(STag (Attribute (Name) @_id (AttValue) @name)) (EmptyElemTag (Attribute (Name) @_id (AttValue) @name))]
  (#any-of? @_id "name" "key" "x:Key")) @definition.block
(element [(STag (Attribute (Name) @_id (AttValue) @name)) (EmptyElemTag (Attribute (Name) @_id (AttValue) @name))]
  (#any-of? @_id "Include" "Name" "Id")) @definition.block
(document root: (element [(STag . (Name) @name) (EmptyElemTag . (Name) @name)]) @definition.block)
