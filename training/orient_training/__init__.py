"""Makes the embedding model of Orient. Nothing here is needed to build or to run it."""
