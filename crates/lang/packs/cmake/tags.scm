; What the nodes of the CMake grammar are.
