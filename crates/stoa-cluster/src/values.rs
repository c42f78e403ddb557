//! Bound values, handed to the driver as they are.

use scylla::errors::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::RowWriter;
use stoa_session::BoundValues;
use stoa_session::bind::Cell;

/// The values of one statement. They are native bytes already, so nothing is encoded again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Values<'a>(pub(crate) &'a BoundValues);

impl SerializeRow for Values<'_> {
    fn serialize(
        &self,
        context: &RowSerializationContext<'_>,
        writer: &mut RowWriter<'_>,
    ) -> Result<(), SerializationError> {
        let (expected, actual) = (context.columns().len(), self.0.len());
        if expected != actual {
            return Err(SerializationError::new(CountError { expected, actual }));
        }
        for cell in self.0.cells() {
            let writer = writer.make_cell_writer();
            match cell {
                Cell::Bytes(bytes) => writer.set_value(bytes).map_err(SerializationError::new)?,
                Cell::Null => writer.set_null(),
                Cell::Unset => writer.set_unset(),
            };
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Too many or too few values, which binding them has ruled out.
#[derive(Debug, thiserror::Error)]
#[error("the statement has {expected} variables, but {actual} values were given")]
struct CountError {
    expected: usize,
    actual: usize,
}
