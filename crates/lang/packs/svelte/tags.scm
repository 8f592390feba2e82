; What the nodes of the Svelte grammar are.
