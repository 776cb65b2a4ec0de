//! What a consumer gets of the columns that are filled: those inside of others on their own, and one
//! more with the path of the source.

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StringArray, make_array};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use penstock_scan::make_room;
use std::collections::HashMap;
use std::sync::Arc;

/// Which columns inside of others stand on their own, with the path to them as their name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flat<'a> {
    /// None of them.
    None,
    /// All that are in no list.
    All,
    /// Those at these paths.
    Paths(&'a [String]),
}

/// A column of the consumer's: where it is among those that are filled, from outside to inside.
type Steps = Vec<usize>;

/// The columns that a consumer gets. [`View::new`] makes it.
#[derive(Clone, Debug)]
pub struct View {
    schema: SchemaRef,
    columns: Vec<Steps>,
    has_file: bool,
}

impl View {
    /// The view of columns. `file_column` is the name of the column of paths, if there is one.
    ///
    /// # Errors
    /// Two columns have one name: the reason is for the user.
    pub fn new(
        filled: &SchemaRef,
        flat: Flat<'_>,
        file_column: Option<&str>,
    ) -> Result<View, String> {
        let (mut fields, mut columns): (Vec<FieldRef>, Vec<Steps>) = (Vec::new(), Vec::new());
        let mut left: Vec<(Steps, FieldRef, String, bool)> = Vec::new();
        for (index, field) in filled.fields().iter().enumerate().rev() {
            make_room(&mut left, 1);
            left.push((vec![index], field.clone(), field.name().clone(), false));
        }
        while let Some((steps, field, name, is_absent)) = left.pop() {
            let nullable = is_absent || field.is_nullable();
            let inside = match field.data_type() {
                DataType::Struct(inside) if flat.opens(&name) => inside.as_ref(),
                _ => &[],
            };
            if inside.is_empty() || flat.keeps(&name) {
                let renamed = field.as_ref().clone().with_name(&*name).with_nullable(nullable);
                make_room(&mut fields, 1);
                fields.push(Arc::new(renamed));
                make_room(&mut columns, 1);
                columns.push(steps.clone());
            }
            for (index, field) in inside.iter().enumerate().rev() {
                let mut steps = steps.clone();
                steps.push(index);
                let name = format!("{name}/{}", field.name());
                if !flat.has(&name) {
                    continue;
                }
                make_room(&mut left, 1);
                left.push((steps, field.clone(), name, nullable));
            }
        }
        let mut names: HashMap<&str, ()> = HashMap::new();
        make_room(&mut names, fields.len());
        for field in &fields {
            if names.insert(field.name(), ()).is_some() {
                return Err(format!("there would be two columns {:?}", field.name()));
            }
        }
        if let Some(name) = file_column {
            if names.contains_key(name) {
                return Err(both(name));
            }
            make_room(&mut fields, 1);
            fields.push(Arc::new(Field::new(name, DataType::Utf8, false)));
        }
        let schema = Arc::new(Schema::new(fields));
        Ok(View { schema, columns, has_file: file_column.is_some() })
    }

    /// The schema of its batches.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Whether it has a column of paths.
    #[must_use]
    pub fn has_file(&self) -> bool {
        self.has_file
    }

    /// What the consumer gets of a batch from a source at this path.
    ///
    /// # Errors
    /// None that is known: Arrow checks again what was checked here.
    pub fn of(&self, batch: &RecordBatch, path: &str) -> Result<RecordBatch, ArrowError> {
        let mut arrays: Vec<ArrayRef> = Vec::new();
        make_room(&mut arrays, self.columns.len() + 1);
        for steps in &self.columns {
            arrays.push(reached(batch, steps)?);
        }
        if self.has_file {
            arrays.push(Arc::new(repeated(path, batch.num_rows())?));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)
    }
}

/// Why there is no column of paths of this name.
#[must_use]
pub fn both(name: &str) -> String {
    format!("file_column: the records have a column '{name}', too")
}

impl Flat<'_> {
    /// Whether something inside of the column at this path stands on its own.
    fn opens(self, path: &str) -> bool {
        match self {
            Flat::None => false,
            Flat::All => true,
            Flat::Paths(paths) => paths.iter().any(|wanted| is_within(wanted, path)),
        }
    }

    /// Whether the column at this path, whose inside is opened, is there as a whole, too.
    fn keeps(self, path: &str) -> bool {
        matches!(self, Flat::Paths(paths) if paths.iter().any(|wanted| wanted == path))
    }

    /// Whether the column at this path inside of another one, or something in it, is wanted.
    fn has(self, path: &str) -> bool {
        match self {
            Flat::None => false,
            Flat::All => true,
            Flat::Paths(paths) => {
                paths.iter().any(|wanted| wanted == path || is_within(wanted, path))
            }
        }
    }
}

/// Whether a path leads into the column at another one.
fn is_within(path: &str, around: &str) -> bool {
    path.strip_prefix(around).is_some_and(|rest| rest.starts_with('/'))
}

/// The column at the end of some steps: it has no value where one around it has none.
fn reached(batch: &RecordBatch, steps: &[usize]) -> Result<ArrayRef, ArrowError> {
    let mut column = batch.column(steps[0]).clone();
    let mut nulls: Option<NullBuffer> = None;
    for &step in &steps[1..] {
        let around = column.as_any().downcast_ref::<arrow_array::StructArray>();
        let around = around.ok_or_else(|| ArrowError::CastError("no struct".to_owned()))?;
        nulls = NullBuffer::union(nulls.as_ref(), around.nulls());
        let inside = around.column(step).clone();
        column = inside;
    }
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else { return Ok(column) };
    if *column.data_type() == DataType::Null {
        return Ok(column);
    }
    let nulls = NullBuffer::union(Some(&nulls), column.nulls());
    Ok(make_array(column.to_data().into_builder().nulls(nulls).build()?))
}

/// An array of one text.
fn repeated(text: &str, count: usize) -> Result<StringArray, ArrowError> {
    let (mut offsets, mut bytes): (Vec<i32>, Vec<u8>) = (Vec::new(), Vec::new());
    let size = text.len().saturating_mul(count);
    if i32::try_from(size).is_err() {
        return Err(ArrowError::OffsetOverflowError(size));
    }
    make_room(&mut offsets, count + 1);
    make_room(&mut bytes, size);
    offsets.push(0);
    for _ in 0..count {
        bytes.extend_from_slice(text.as_bytes());
        offsets.push(bytes.len() as i32);
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    StringArray::try_new(offsets, Buffer::from_vec(bytes), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int64Array, StructArray};

    fn batch() -> RecordBatch {
        let lat = Arc::new(Field::new("lat", DataType::Int64, false));
        let lon = Arc::new(Field::new("lon", DataType::Int64, true));
        let inside = vec![lat, lon];
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(vec![1, 0, 3])),
            Arc::new(Int64Array::from(vec![None, None, Some(6)])),
        ];
        let nulls = Some(NullBuffer::from(vec![true, false, true]));
        let place = StructArray::new(inside.clone().into(), columns, nulls);
        let schema = Schema::new(vec![Field::new("at", DataType::Struct(inside.into()), true)]);
        RecordBatch::try_new(Arc::new(schema), vec![Arc::new(place)]).unwrap()
    }

    fn shown(view: &View, batch: &RecordBatch) -> Vec<(String, bool, Vec<Option<i64>>)> {
        let seen = view.of(batch, "a.json").unwrap();
        let count = seen.num_columns() - usize::from(view.has_file());
        (0..count)
            .map(|index| {
                let field = seen.schema().field(index).clone();
                let array = seen.column(index).as_any().downcast_ref::<Int64Array>().unwrap();
                (field.name().clone(), field.is_nullable(), array.iter().collect())
            })
            .collect()
    }

    #[test]
    fn a_value_in_nothing_is_nothing() {
        let batch = batch();
        let all = View::new(&batch.schema(), Flat::All, None).unwrap();
        let lat = ("at/lat".to_owned(), true, vec![Some(1), None, Some(3)]);
        let lon = ("at/lon".to_owned(), true, vec![None, None, Some(6)]);
        assert_eq!(shown(&all, &batch), [lat.clone(), lon]);
        let paths = ["at/lat".to_owned()];
        let one = View::new(&batch.schema(), Flat::Paths(&paths), Some("file")).unwrap();
        assert_eq!(shown(&one, &batch), [lat]);
        let files = one.of(&batch, "a.json").unwrap().column(1).clone();
        let files = files.as_any().downcast_ref::<StringArray>().unwrap().clone();
        assert_eq!(files.iter().collect::<Vec<_>>(), [Some("a.json"); 3]);
    }

    #[test]
    fn a_column_may_stand_there_whole_too() {
        let batch = batch();
        let paths = ["at".to_owned(), "at/lon".to_owned()];
        let view = View::new(&batch.schema(), Flat::Paths(&paths), None).unwrap();
        let names: Vec<&String> = view.schema().fields().iter().map(|field| field.name()).collect();
        assert_eq!(names, ["at", "at/lon"]);
    }

    #[test]
    fn no_two_columns_have_one_name() {
        let batch = batch();
        let none = View::new(&batch.schema(), Flat::None, Some("at"));
        assert_eq!(none.unwrap_err(), "file_column: the records have a column 'at', too");
        let field = |name, of| Field::new(name, of, false);
        let inside = DataType::Struct(vec![field("b", DataType::Int64)].into());
        let schema = Schema::new(vec![field("a/b", DataType::Int64), field("a", inside)]);
        let twice = View::new(&Arc::new(schema), Flat::All, None).unwrap_err();
        assert_eq!(twice, "there would be two columns \"a/b\"");
    }
}
