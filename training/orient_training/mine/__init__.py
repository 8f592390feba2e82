"""Mining: packages from public registries in, pairs of documentation and code out."""
