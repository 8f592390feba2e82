; What the nodes of the Markdown grammar are. A heading's symbol reaches to the next heading of its level.

(atx_heading (atx_h1_marker) heading_content: (_) @name (#set! section "1")) @definition.heading
(setext_heading heading_content: (_) @name (setext_h1_underline) (#set! section "1")) @definition.heading
(atx_heading (atx_h2_marker) heading_content: (_) @name (#set! section "2")) @definition.heading
(setext_heading heading_content: (_) @name (setext_h2_underline) (#set! section "2")) @definition.heading
(atx_heading (atx_h3_marker) heading_content: (_) @name (#set! section "3")) @definition.heading
(atx_heading (atx_h4_marker) heading_content: (_) @name (#set! section "4")) @definition.heading
(atx_heading (atx_h5_marker) heading_content: (_) @name (#set! section "5")) @definition.heading
(atx_heading (atx_h6_marker) heading_content: (_) @name (#set! section "6")) @definition.heading
