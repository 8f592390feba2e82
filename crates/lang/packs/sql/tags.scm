; What the nodes of the SQL grammar are.

(comment) @comment
(marginalia) @comment

(statement (create_table (object_reference name: (identifier) @name) (#set! header "line"))) @definition.table
(statement (create_view (object_reference name: (identifier) @name) (#set! header "line"))) @definition.view
(statement (create_materialized_view (object_reference name: (identifier) @name) (#set! header "line"))) @definition.view
(statement (create_function . (_) (object_reference name: (identifier) @name) (function_arguments)? @params (function_body)? @body)) @definition.function
(statement (create_trigger (keyword_trigger) . (object_reference name: (identifier) @name))) @definition.procedure
(statement (create_index column: (identifier) @name)) @definition.block
(statement (create_type (object_reference name: (identifier) @name))) @definition.type
(statement (create_schema (identifier) @name)) @definition.module
(statement (create_sequence (object_reference name: (identifier) @name))) @definition.block
(column_definition name: (identifier) @name type: (_)? @returns) @definition.field

(relation (object_reference name: (identifier) @name)) @reference.read
(insert (object_reference name: (identifier) @name)) @reference.write
(update (relation (object_reference name: (identifier) @name))) @reference.write
(alter_table (object_reference name: (identifier) @name)) @reference.write
(drop_table (object_reference name: (identifier) @name)) @reference.write
(create_index (object_reference name: (identifier) @name)) @reference.read
(column_definition (keyword_references) (object_reference name: (identifier) @name)) @reference.read
(create_trigger (keyword_on) . (object_reference name: (identifier) @name)) @reference.read
(create_trigger (keyword_execute) (object_reference name: (identifier) @name)) @reference.call
(invocation (object_reference name: (identifier) @name)) @reference.call
