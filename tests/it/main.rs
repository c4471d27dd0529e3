//! The fast suite: everything that needs no compiler of a target language.
