//! Nothing: this package only locks the packages of the grammars.
