; What the nodes of the Protocol Buffers grammar are.

(comment) @comment

(package (full_ident) @package)
(import path: (string) @import.effect)

(message (message_name) @name (message_body) @body) @definition.message
(enum (enum_name) @name (enum_body) @body) @definition.enum
(enum_field . (identifier) @name) @definition.enum_member
(field (type) @returns (identifier) @name) @definition.field
(map_field (type) @returns (identifier) @name) @definition.field
(oneof_field (type) @returns (identifier) @name) @definition.field
(oneof (identifier) @name) @definition.union
(service (service_name) @name) @definition.service
(rpc (rpc_name) @name) @definition.rpc
(extend (full_ident) @name (message_body) @body) @definition.impl

(message_or_enum_type) @name @reference.type
