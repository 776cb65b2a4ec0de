//! Columns in the types that their consumer asks for.
//!
//! Arrow has several types for the same values: strings with short or long offsets, as views, or as
//! places in a dictionary; integers of eight widths; counts of seconds or of nanoseconds. A consumer
//! may ask for one of them, and gets it if each value stays exactly what it is.

use arrow_array::builder::make_view;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, LargeBinaryArray, LargeListArray, LargeStringArray,
    ListArray, MapArray, RecordBatch, RecordBatchOptions, StringArray, StringViewArray,
    StructArray, make_array, new_empty_array,
};
use arrow_array::{BinaryViewArray, DictionaryArray};
use arrow_buffer::{
    ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer, i256,
};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use penstock_scan::{gathered, make_room};
use std::collections::HashMap;
use std::sync::Arc;

/// The schema that is nearest to a requested one: its types, where the columns can have them.
///
/// # Errors
/// It is no schema of this data: it has other columns, or values of another kind.
pub fn agreed(own: &Schema, requested: &Schema) -> Result<SchemaRef, String> {
    let fields = agreed_fields(own.fields(), requested.fields(), "")?;
    Ok(Arc::new(Schema::new_with_metadata(fields, own.metadata().clone())))
}

fn agreed_fields(own: &Fields, requested: &Fields, path: &str) -> Result<Fields, String> {
    let listed = |fields: &Fields| {
        let names = gathered(fields.iter().map(|field| field.name().as_str()));
        names.join(", ")
    };
    if !own.iter().map(|field| field.name()).eq(requested.iter().map(|field| field.name())) {
        let of = if path.is_empty() { String::new() } else { format!(" of {path}") };
        let (own, requested) = (listed(own), listed(requested));
        return Err(format!("the requested columns{of} are {requested}, and these are {own}"));
    }
    own.iter()
        .zip(requested.iter())
        .map(|(own, requested)| agreed_field(own, requested, path))
        .collect()
}

fn agreed_field(own: &FieldRef, requested: &FieldRef, path: &str) -> Result<FieldRef, String> {
    let path = match path {
        "" => own.name().clone(),
        path => format!("{path}/{}", own.name()),
    };
    let kind = agreed_type(own, requested, &path)?;
    let nullable = own.is_nullable() || requested.is_nullable();
    Ok(Arc::new(own.as_ref().clone().with_data_type(kind).with_nullable(nullable)))
}

/// What values are, however they are stored.
#[derive(PartialEq)]
enum Family {
    Int,
    Float,
    Text,
    Binary,
    Instant,
    Clock,
    Span,
    Day,
    Time,
    Decimal,
    List,
    Other,
}

fn family(kind: &DataType) -> Family {
    match kind {
        kind if kind.is_integer() => Family::Int,
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Family::Float,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Family::Text,
        DataType::Dictionary(_, values) => family(values),
        DataType::RunEndEncoded(_, values) => family(values.data_type()),
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Family::Binary,
        DataType::Timestamp(_, Some(_)) => Family::Instant,
        DataType::Timestamp(_, None) => Family::Clock,
        DataType::Duration(_) => Family::Span,
        DataType::Date32 | DataType::Date64 => Family::Day,
        DataType::Time32(_) | DataType::Time64(_) => Family::Time,
        kind if kind.is_decimal() => Family::Decimal,
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::FixedSizeList(..) => Family::List,
        _ => Family::Other,
    }
}

fn is_plain_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Whether a column of nulls is one of a type, too.
fn takes_nulls(kind: &DataType) -> bool {
    let strings = [
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
        DataType::Boolean,
    ];
    kind.primitive_width().is_some() || strings.contains(kind)
}

/// A column of nulls.
fn nulls(kind: &DataType, rows: usize) -> Result<ArrayRef, Lost> {
    let zeros = |bytes: usize| {
        let mut all: Vec<i256> = Vec::new();
        let count = bytes.div_ceil(size_of::<i256>());
        make_room(&mut all, count);
        all.resize(count, i256::ZERO);
        Buffer::from_vec(all).slice_with_length(0, bytes)
    };
    let empty = || zeros(0);
    let buffers = match kind {
        DataType::Boolean => vec![zeros(rows.div_ceil(8))],
        DataType::Utf8 | DataType::Binary => vec![zeros(4 * (rows + 1)), empty()],
        DataType::LargeUtf8 | DataType::LargeBinary => vec![zeros(8 * (rows + 1)), empty()],
        DataType::Utf8View | DataType::BinaryView => vec![zeros(16 * rows)],
        kind => vec![zeros(kind.primitive_width().unwrap_or_default() * rows)],
    };
    let valid = NullBuffer::new(BooleanBuffer::new(zeros(rows.div_ceil(8)), 0, rows));
    let built = new_empty_array(kind).to_data().into_builder().len(rows).nulls(Some(valid));
    Ok(make_array(built.buffers(buffers).build()?))
}

/// The type that a column gets: the requested one, or its own if it cannot be had.
fn agreed_type(own: &Field, requested: &Field, path: &str) -> Result<DataType, String> {
    let has_form = own.extension_type_name().is_some();
    let (from, to) = (own.data_type(), requested.data_type());
    Ok(match (from, to) {
        (from, to) if from == to => from.clone(),
        (DataType::Null, to) if takes_nulls(to) => to.clone(),
        (DataType::Null, _) => DataType::Null,
        (DataType::Struct(own), DataType::Struct(requested)) => {
            DataType::Struct(agreed_fields(own, requested, path)?)
        }
        (DataType::Map(own, sorted), DataType::Map(requested, _)) => {
            DataType::Map(agreed_entries(own, requested, path)?, *sorted)
        }
        (DataType::List(item), DataType::List(other)) => {
            DataType::List(agreed_item(item, other, path)?)
        }
        (DataType::List(item), DataType::LargeList(other)) => {
            DataType::LargeList(agreed_item(item, other, path)?)
        }
        (DataType::FixedSizeList(item, size), DataType::FixedSizeList(other, count))
            if size == count =>
        {
            DataType::FixedSizeList(agreed_item(item, other, path)?, *size)
        }
        (from, to) if family(from) != family(to) || family(from) == Family::Other => {
            return Err(format!("the requested column {path} is {to}, and this one is {from}"));
        }
        (from, to) if family(from) == Family::Text && is_plain_text(to) => to.clone(),
        (from, DataType::Dictionary(places, words))
            if family(from) == Family::Text && is_plain_text(words) && !has_form =>
        {
            DataType::Dictionary(places.clone(), words.clone())
        }
        (DataType::Binary, DataType::LargeBinary | DataType::BinaryView) => to.clone(),
        (DataType::Float32, DataType::Float64) => to.clone(),
        (from, to) if from.is_integer() && to.is_integer() => to.clone(),
        (from, to) if from.is_decimal() && to.is_decimal() => to.clone(),
        (DataType::Timestamp(..), DataType::Timestamp(..))
        | (DataType::Duration(_), DataType::Duration(_))
        | (DataType::Time64(_), DataType::Time32(_) | DataType::Time64(_))
        | (DataType::Date32, DataType::Date64) => to.clone(),
        _ => from.clone(),
    })
}

/// The items of lists, whose names mean nothing.
fn agreed_item(own: &FieldRef, requested: &FieldRef, path: &str) -> Result<FieldRef, String> {
    let field = agreed_field(own, requested, path)?;
    Ok(Arc::new(field.as_ref().clone().with_name(requested.name())))
}

/// The keys and values of maps, whose names mean nothing, either.
fn agreed_entries(own: &FieldRef, requested: &FieldRef, path: &str) -> Result<FieldRef, String> {
    let (DataType::Struct(pair), DataType::Struct(other)) =
        (own.data_type(), requested.data_type())
    else {
        return Ok(Arc::clone(own));
    };
    if pair.len() != 2 || other.len() != 2 {
        return Ok(Arc::clone(own));
    }
    let key = agreed_item(&pair[0], &other[0], path)?.as_ref().clone().with_nullable(false);
    let value = agreed_item(&pair[1], &other[1], path)?;
    let fields = DataType::Struct([Arc::new(key), value].into_iter().collect());
    let entries = own.as_ref().clone().with_data_type(fields).with_name(requested.name());
    Ok(Arc::new(entries))
}

/// Why a batch cannot be had in a type.
enum Lost {
    /// The value of this row does not fit.
    Value { row: usize, path: Vec<String>, shown: Option<String>, to: DataType },
    /// Arrow says so.
    Arrow(ArrowError),
}

impl From<ArrowError> for Lost {
    fn from(error: ArrowError) -> Self {
        Lost::Arrow(error)
    }
}

impl Lost {
    /// The same, for the row around it and the name of its column.
    fn below(self, name: &str, row_of: impl Fn(usize) -> usize) -> Self {
        match self {
            Lost::Value { row, mut path, shown, to } => {
                path.insert(0, name.to_owned());
                Lost::Value { row: row_of(row), path, shown, to }
            }
            arrow => arrow,
        }
    }
}

/// A batch in the types of a schema that [`agreed`] has returned for it. `before` is how many rows
/// came before it.
///
/// # Errors
/// A value does not fit the requested type.
pub fn converted(batch: &RecordBatch, to: &SchemaRef, before: u64) -> Result<RecordBatch, String> {
    let explained = |lost: Lost| match lost {
        Lost::Arrow(error) => error.to_string(),
        Lost::Value { row, path, shown, to } => {
            let value = shown.unwrap_or_else(|| "the value".to_owned());
            let (path, row) = (path.join("/"), before + row as u64 + 1);
            format!("{path}: {value} does not fit {to}, which was requested (row {row})")
        }
    };
    let mut arrays = Vec::with_capacity(batch.num_columns());
    for (array, field) in batch.columns().iter().zip(to.fields()) {
        let made = cast(array, field.data_type());
        let made = made.map_err(|lost| lost.below(field.name(), |row| row));
        arrays.push(made.map_err(explained)?);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(to), arrays, &options)
        .map_err(|error| error.to_string())
}

fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, Lost> {
    let from = array.data_type();
    let nulls = array.nulls().cloned();
    Ok(match (from, to) {
        (from, to) if from == to => Arc::clone(array),
        (DataType::Null, to) => self::nulls(to, array.len())?,
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let of = array.as_struct();
            let mut arrays = Vec::with_capacity(fields.len());
            for (column, field) in of.columns().iter().zip(fields) {
                let made = cast(column, field.data_type());
                arrays.push(made.map_err(|lost| lost.below(field.name(), |row| row))?);
            }
            Arc::new(StructArray::try_new_with_length(fields.clone(), arrays, nulls, array.len())?)
        }
        (DataType::List(_), DataType::List(item)) => {
            let of = array.as_list::<i32>();
            let items = items(of.values(), item, of.offsets())?;
            Arc::new(ListArray::try_new(Arc::clone(item), of.offsets().clone(), items, nulls)?)
        }
        (DataType::List(_), DataType::LargeList(item)) => {
            let of = array.as_list::<i32>();
            let items = items(of.values(), item, of.offsets())?;
            let offsets = widened(of.offsets());
            Arc::new(LargeListArray::try_new(Arc::clone(item), offsets, items, nulls)?)
        }
        (DataType::FixedSizeList(..), DataType::FixedSizeList(item, size)) => {
            let of = array.as_fixed_size_list();
            let each = (*size).max(1) as usize;
            let items = cast(of.values(), item.data_type())
                .map_err(|lost| lost.below(item.name(), |row| row / each))?;
            let (item, count) = (Arc::clone(item), array.len());
            Arc::new(FixedSizeListArray::try_new_with_length(item, *size, items, nulls, count)?)
        }
        (DataType::Map(..), DataType::Map(entries, sorted)) => {
            let of = array.as_map();
            let inner: ArrayRef = Arc::new(of.entries().clone());
            let inner = items(&inner, entries, of.offsets())?;
            let pairs = inner.as_struct().clone();
            let offsets = of.offsets().clone();
            Arc::new(MapArray::try_new(Arc::clone(entries), offsets, pairs, nulls, *sorted)?)
        }
        (from, to) if family(from) == Family::Text => text(array, to)?,
        (DataType::Binary, to) => {
            let of = array.as_binary::<i32>();
            match to {
                DataType::BinaryView => {
                    let views = views(of.offsets(), of.values());
                    Arc::new(BinaryViewArray::try_new(views, vec![of.values().clone()], nulls)?)
                }
                _ => {
                    let offsets = widened(of.offsets());
                    let bytes = of.values().clone();
                    Arc::new(LargeBinaryArray::try_new(offsets, bytes, nulls)?)
                }
            }
        }
        (DataType::Float32, _) => {
            let data = array.to_data();
            let wide = gathered(data.buffer::<f32>(0).iter().map(|value| f64::from(*value)));
            let built = data.into_builder().data_type(to.clone()).offset(0);
            make_array(built.buffers(vec![Buffer::from_vec(wide)]).build()?)
        }
        (from, to) if from.is_decimal() => decimals(array, from, to)?,
        (from, to) => integers(array, from, to)?,
    })
}

/// The items of lists, in their type.
fn items(
    items: &ArrayRef,
    field: &FieldRef,
    offsets: &OffsetBuffer<i32>,
) -> Result<ArrayRef, Lost> {
    let row = |item: usize| offsets.partition_point(|end| *end as usize <= item).saturating_sub(1);
    cast(items, field.data_type()).map_err(|lost| lost.below(field.name(), row))
}

fn widened(offsets: &OffsetBuffer<i32>) -> OffsetBuffer<i64> {
    OffsetBuffer::new(ScalarBuffer::from(gathered(offsets.iter().map(|end| i64::from(*end)))))
}

/// Strings, of which those that a dictionary has are not copied if they become views.
fn text(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, Lost> {
    let nulls = array.nulls().cloned();
    let plain: ArrayRef = match (array.as_dictionary_opt::<Int32Type>(), to) {
        (Some(of), DataType::Dictionary(places, words)) => {
            let keys: ArrayRef = Arc::new(of.keys().clone());
            let keys = integers(&keys, &DataType::Int32, places)?;
            let values = text(of.values(), words)?;
            return dictionary(&keys, to, &values);
        }
        (Some(of), DataType::Utf8View) => {
            let words = of.values().as_string::<i32>();
            let known = views(words.offsets(), words.values());
            let place = |row: usize| match of.is_valid(row) {
                true => known[of.keys().value(row).as_usize()],
                false => 0,
            };
            let views = ScalarBuffer::from(gathered((0..of.len()).map(place)));
            let buffers = vec![words.values().clone()];
            return Ok(Arc::new(StringViewArray::try_new(views, buffers, nulls)?));
        }
        (Some(of), _) => Arc::new(spelled(of, to)?),
        (None, _) => Arc::clone(array),
    };
    let of = plain.as_string::<i32>();
    Ok(match to {
        DataType::LargeUtf8 => {
            Arc::new(LargeStringArray::try_new(widened(of.offsets()), of.values().clone(), nulls)?)
        }
        DataType::Utf8View => {
            let views = views(of.offsets(), of.values());
            Arc::new(StringViewArray::try_new(views, vec![of.values().clone()], nulls)?)
        }
        DataType::Dictionary(places, words) => {
            let (keys, values) = interned(of)?;
            let keys = integers(&keys, &DataType::Int32, places)?;
            dictionary(&keys, to, &text(&values, words)?)?
        }
        _ => plain,
    })
}

/// Views of texts that stay where they are.
fn views(offsets: &OffsetBuffer<i32>, bytes: &[u8]) -> ScalarBuffer<u128> {
    let view = |pair: &[i32]| {
        let text = &bytes[pair[0] as usize..pair[1] as usize];
        make_view(text, 0, pair[0].cast_unsigned())
    };
    ScalarBuffer::from(gathered(offsets.windows(2).map(view)))
}

/// Places and strings as a dictionary.
fn dictionary(keys: &ArrayRef, to: &DataType, values: &ArrayRef) -> Result<ArrayRef, Lost> {
    let data = keys.to_data().into_builder().data_type(to.clone()).add_child_data(values.to_data());
    Ok(make_array(data.build()?))
}

/// The strings of a dictionary, one for each row.
fn spelled(of: &DictionaryArray<Int32Type>, to: &DataType) -> Result<StringArray, Lost> {
    let words = of.values().as_string::<i32>();
    let word = |row: usize| match of.is_valid(row) {
        true => words.value(of.keys().value(row).as_usize()),
        false => "",
    };
    // All of their lengths first: a short dictionary may mean a long column.
    let mut end = 0_i32;
    let mut offsets = Vec::new();
    make_room(&mut offsets, of.len() + 1);
    offsets.push(0);
    for row in 0..of.len() {
        let grown = i32::try_from(word(row).len()).ok().and_then(|more| end.checked_add(more));
        let too_long = || Lost::Value {
            row,
            path: Vec::new(),
            shown: Some("text of more than 2 GiB".to_owned()),
            to: to.clone(),
        };
        end = grown.ok_or_else(too_long)?;
        offsets.push(end);
    }
    let mut bytes = Vec::new();
    make_room(&mut bytes, end as usize);
    (0..of.len()).for_each(|row| bytes.extend_from_slice(word(row).as_bytes()));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    Ok(StringArray::try_new(offsets, Buffer::from_vec(bytes), of.nulls().cloned())?)
}

/// The places of strings among those that differ, and these.
fn interned(of: &StringArray) -> Result<(ArrayRef, ArrayRef), Lost> {
    let mut places: HashMap<&str, i32> = HashMap::new();
    let mut keys: Vec<i32> = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    make_room(&mut keys, of.len());
    for row in 0..of.len() {
        if of.is_null(row) {
            keys.push(0);
            continue;
        }
        let word = of.value(row);
        let next = words.len() as i32;
        let place = match places.get(word) {
            Some(place) => *place,
            None => {
                make_room(&mut places, 1);
                places.insert(word, next);
                make_room(&mut words, 1);
                words.push(word);
                next
            }
        };
        keys.push(place);
    }
    let keys = arrow_array::Int32Array::try_new(keys.into(), of.nulls().cloned())?;
    // All of them are no longer than the column.
    let mut offsets = vec![0];
    make_room(&mut offsets, words.len());
    let mut bytes = Vec::new();
    for word in words {
        make_room(&mut bytes, word.len());
        bytes.extend_from_slice(word.as_bytes());
        offsets.push(bytes.len() as i32);
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let words = StringArray::try_new(offsets, Buffer::from_vec(bytes), None)?;
    Ok((Arc::new(keys), Arc::new(words)))
}

/// Integers, and counts of units of time, of another width or unit.
fn integers(array: &ArrayRef, from: &DataType, to: &DataType) -> Result<ArrayRef, Lost> {
    if from == to {
        return Ok(Arc::clone(array));
    }
    let data = array.to_data();
    macro_rules! wide {
        ($type:ty) => {
            gathered(data.buffer::<$type>(0).iter().map(|value| i128::from(*value)))
        };
    }
    let values = match from {
        DataType::Int8 => wide!(i8),
        DataType::Int16 => wide!(i16),
        DataType::Int32 | DataType::Date32 => wide!(i32),
        DataType::UInt8 => wide!(u8),
        DataType::UInt16 => wide!(u16),
        DataType::UInt32 => wide!(u32),
        DataType::UInt64 => wide!(u64),
        _ => wide!(i64),
    };
    // How many of the finer unit are one of the other.
    let (times, parts) = match (unit(from), unit(to)) {
        (Some(from), Some(to)) => ((from / to).max(1), (to / from).max(1)),
        _ => (1, 1),
    };
    let nulls = array.nulls();
    let misfit = |row: usize| Lost::Value {
        row,
        path: Vec::new(),
        shown: from.is_integer().then(|| values[row].to_string()),
        to: to.clone(),
    };
    macro_rules! narrow {
        ($type:ty) => {{
            let mut made: Vec<$type> = Vec::new();
            make_room(&mut made, values.len());
            for (row, value) in values.iter().enumerate() {
                let fits = (value % parts == 0).then_some(value / parts * times);
                match fits.and_then(|value| <$type>::try_from(value).ok()) {
                    Some(value) => made.push(value),
                    None if is_null(nulls, row) => made.push(0),
                    None => return Err(misfit(row)),
                }
            }
            Buffer::from_vec(made)
        }};
    }
    let buffer = match to {
        DataType::Int8 => narrow!(i8),
        DataType::Int16 => narrow!(i16),
        DataType::Int32 | DataType::Time32(_) => narrow!(i32),
        DataType::UInt8 => narrow!(u8),
        DataType::UInt16 => narrow!(u16),
        DataType::UInt32 => narrow!(u32),
        DataType::UInt64 => narrow!(u64),
        _ => narrow!(i64),
    };
    let built = data.into_builder().data_type(to.clone()).offset(0).buffers(vec![buffer]);
    Ok(make_array(built.build()?))
}

fn is_null(nulls: Option<&NullBuffer>, row: usize) -> bool {
    nulls.is_some_and(|nulls| nulls.is_null(row))
}

/// The nanoseconds of a unit of time.
fn unit(kind: &DataType) -> Option<i128> {
    let unit = match kind {
        DataType::Timestamp(unit, _)
        | DataType::Duration(unit)
        | DataType::Time32(unit)
        | DataType::Time64(unit) => unit,
        DataType::Date32 => return Some(86_400_000_000_000),
        DataType::Date64 => &TimeUnit::Millisecond,
        _ => return None,
    };
    Some(match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    })
}

/// Decimal numbers with other digits before and behind the point.
fn decimals(array: &ArrayRef, from: &DataType, to: &DataType) -> Result<ArrayRef, Lost> {
    let digits = |kind: &DataType| match kind {
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => (u32::from(*precision), i32::from(*scale)),
        _ => (0, 0),
    };
    let ((_, scale), (precision, other)) = (digits(from), digits(to));
    let data = array.to_data();
    let values = match from {
        DataType::Decimal128(..) => {
            gathered(data.buffer::<i128>(0).iter().map(|value| i256::from_i128(*value)))
        }
        _ => gathered(data.buffer::<i256>(0).iter().copied()),
    };
    let power = |exponent: u32| i256::from_i128(10).checked_pow(exponent);
    let (step, most) = (power(scale.abs_diff(other)), power(precision));
    let fitting = |value: i256| {
        let moved = match (step, other >= scale) {
            _ if value == i256::ZERO => value,
            (Some(step), true) => value.checked_mul(step)?,
            (Some(step), false) if value.checked_rem(step)? == i256::ZERO => {
                value.checked_div(step)?
            }
            _ => return None,
        };
        match most {
            Some(most) if moved >= most || moved <= most.checked_neg()? => None,
            _ => Some(moved),
        }
    };
    let mut made: Vec<i256> = Vec::new();
    make_room(&mut made, values.len());
    for (row, value) in values.iter().enumerate() {
        match fitting(*value) {
            Some(value) => made.push(value),
            None if is_null(array.nulls(), row) => made.push(i256::ZERO),
            None => return Err(Lost::Value { row, path: Vec::new(), shown: None, to: to.clone() }),
        }
    }
    // Numbers of at most so many digits fit the integer under them.
    let small = |value: &i256| value.to_i128().unwrap_or_default();
    let buffer = match to {
        DataType::Decimal32(..) => {
            Buffer::from_vec(gathered(made.iter().map(|value| small(value) as i32)))
        }
        DataType::Decimal64(..) => {
            Buffer::from_vec(gathered(made.iter().map(|value| small(value) as i64)))
        }
        DataType::Decimal128(..) => Buffer::from_vec(gathered(made.iter().map(small))),
        _ => Buffer::from_vec(made),
    };
    let built = data.into_builder().data_type(to.clone()).offset(0).buffers(vec![buffer]);
    Ok(make_array(built.build()?))
}
