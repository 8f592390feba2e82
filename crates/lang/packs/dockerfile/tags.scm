; What the nodes of the Dockerfile grammar are.

(comment) @comment

(from_instruction as: (image_alias) @name (#set! section "1 free")) @definition.block
(from_instruction (image_spec name: (image_name) @name) (#set! section "1 free")) @definition.block
(arg_instruction (arg_pair name: (_) @name)) @definition.variable
(env_instruction (env_pair name: (_) @name) @definition.variable)

(from_instruction (image_spec) @import.effect)
(expansion (variable) @reference.read)
