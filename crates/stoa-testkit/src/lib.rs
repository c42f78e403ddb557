//! Models, generators and checkers for tests.
