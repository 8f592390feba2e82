; What the nodes of the Markdown grammar are. A heading reaches to the next one that is not below it.

(atx_heading (atx_h1_marker) heading_content: (_) @name (#set! section "1 free")) @definition.heading
(atx_heading (atx_h2_marker) heading_content: (_) @name (#set! section "2 free")) @definition.heading
(atx_heading (atx_h3_marker) heading_content: (_) @name (#set! section "3 free")) @definition.heading
(atx_heading (atx_h4_marker) heading_content: (_) @name (#set! section "4 free")) @definition.heading
(atx_heading (atx_h5_marker) heading_content: (_) @name (#set! section "5 free")) @definition.heading
(atx_heading (atx_h6_marker) heading_content: (_) @name (#set! section "6 free")) @definition.heading
(setext_heading heading_content: (_) @name (setext_h1_underline) (#set! section "1 free")) @definition.heading
(setext_heading heading_content: (_) @name (setext_h2_underline) (#set! section "2 free")) @definition.heading
