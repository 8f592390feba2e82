; What the nodes of the Protocol Buffers grammar are.

(comment) @comment

(package (full_ident) @package)
(import path: (string) @module) @import.effect

(message (message_name) @name (message_body) @body) @definition.message
(enum (enum_name) @name (enum_body) @body) @definition.enum
(enum_field (identifier) @name) @definition.enum_member
(field (type) @returns (identifier) @name) @definition.field
(map_field (identifier) @name) @definition.field
(oneof_field (type) @returns (identifier) @name) @definition.field
(service (service_name) @name (#set! header "line")) @definition.service
(rpc (rpc_name) @name) @definition.rpc
(extend (full_ident) @name) @definition.impl

(message_or_enum_type) @reference.type
