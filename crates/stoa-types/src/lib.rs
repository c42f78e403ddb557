//! CQL values: types, bytes, order, text, time; no I/O.
