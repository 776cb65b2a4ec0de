//! The arrays of a batch, each looked up once.

use super::times::{Unit, Zone};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type,
    Decimal64Type, Decimal128Type, Decimal256Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, BinaryViewArray, FixedSizeBinaryArray, GenericBinaryArray, GenericStringArray, RunArray,
    StringViewArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use penstock_core::json::lend;
use std::sync::atomic::AtomicUsize;

/// An array, with what is in it.
#[derive(Debug)]
pub(super) struct Told {
    /// Its name, if it is a column.
    pub(super) name: Box<str>,
    /// The name as a key of JSON text.
    pub(super) lent: lend::Key,
    nulls: Option<NullBuffer>,
    pub(super) values: Values,
    /// How many of its first columns are known to be those of the writer, in this order.
    pub(super) shared: AtomicUsize,
}

/// The values of an array.
#[derive(Debug)]
pub(super) enum Values {
    Null,
    Bool(BooleanBuffer),
    Int(Ints),
    U64(ScalarBuffer<u64>),
    F16(ScalarBuffer<<Float16Type as ArrowPrimitiveType>::Native>),
    F32(ScalarBuffer<f32>),
    F64(ScalarBuffer<f64>),
    Text(GenericStringArray<i32>),
    LargeText(GenericStringArray<i64>),
    TextView(StringViewArray),
    Bytes(GenericBinaryArray<i32>),
    LargeBytes(GenericBinaryArray<i64>),
    BytesView(BinaryViewArray),
    BytesFixed(FixedSizeBinaryArray),
    Uuid(FixedSizeBinaryArray),
    /// Days since 1970.
    Days(ScalarBuffer<i32>),
    /// Milliseconds since then, in whole days.
    Millis(ScalarBuffer<i64>),
    Time(Ints, Unit),
    Instant(ScalarBuffer<i64>, Unit, Zone),
    Span(ScalarBuffer<i64>, Unit),
    Decimal32(ScalarBuffer<i32>, i8),
    Decimal64(ScalarBuffer<i64>, i8),
    Decimal128(ScalarBuffer<i128>, i8),
    Decimal256(ScalarBuffer<i256>, i8),
    /// Places in other values.
    Keyed(Ints, Box<Told>),
    /// Runs of equal values.
    Runs(Runs, Box<Told>),
    List(ScalarBuffer<i32>, Box<Told>),
    LargeList(ScalarBuffer<i64>, Box<Told>),
    ListView(ScalarBuffer<i32>, ScalarBuffer<i32>, Box<Told>),
    LargeListView(ScalarBuffer<i64>, ScalarBuffer<i64>, Box<Told>),
    FixedList(usize, Box<Told>),
    Struct(Vec<Told>),
    Map(ScalarBuffer<i32>, Box<Told>, Box<Told>),
}

/// Integers that fit into an `i64`.
#[derive(Clone, Debug)]
pub(super) enum Ints {
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    /// Of a dictionary, whose keys are fewer.
    U64(ScalarBuffer<u64>),
}

impl Ints {
    #[inline(always)]
    pub(super) fn get(&self, row: usize) -> i64 {
        match self {
            Ints::I8(values) => values[row].into(),
            Ints::I16(values) => values[row].into(),
            Ints::I32(values) => values[row].into(),
            Ints::I64(values) => values[row],
            Ints::U8(values) => values[row].into(),
            Ints::U16(values) => values[row].into(),
            Ints::U32(values) => values[row].into(),
            Ints::U64(values) => values[row] as i64,
        }
    }
}

/// Where runs end.
#[derive(Debug)]
pub(super) enum Runs {
    I16(RunArray<Int16Type>),
    I32(RunArray<Int32Type>),
    I64(RunArray<Int64Type>),
}

impl Runs {
    /// The place of a row's value.
    #[inline]
    pub(super) fn get(&self, row: usize) -> usize {
        match self {
            Runs::I16(array) => array.get_physical_index(row),
            Runs::I32(array) => array.get_physical_index(row),
            Runs::I64(array) => array.get_physical_index(row),
        }
    }
}

impl Told {
    /// Looks an array up. None if it is not of the field's type. With `elements`, attributes come
    /// before other members.
    pub(super) fn new(array: &dyn Array, field: &Field, elements: bool) -> Option<Self> {
        let extension = field.metadata().get("ARROW:extension:name");
        let is_uuid = extension.is_some_and(|name| name == "arrow.uuid");
        let values = values(array, field.data_type(), is_uuid, elements)?;
        let name = field.name();
        Some(Told {
            name: (&**name).into(),
            lent: lend::Key::new(name),
            nulls: array.nulls().cloned(),
            values,
            shared: AtomicUsize::default(),
        })
    }

    /// Whether a row is null itself. If it is not, it may lead to a null.
    #[inline(always)]
    fn is_null_here(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// Whether a row is null.
    #[inline(always)]
    pub(super) fn is_null(&self, row: usize) -> bool {
        if self.is_null_here(row) {
            return true;
        }
        match &self.values {
            Values::Null => true,
            Values::Keyed(keys, values) => values.is_null(keys.get(row) as usize),
            Values::Runs(runs, values) => values.is_null(runs.get(row)),
            _ => false,
        }
    }

    /// Where the items of a row are, if it is a list or a map.
    #[inline]
    pub(super) fn items(&self, row: usize) -> Option<(std::ops::Range<usize>, &Told)> {
        let range = |begin: usize, end: usize| begin..end;
        Some(match &self.values {
            Values::List(ends, item) => (range(ends[row] as usize, ends[row + 1] as usize), item),
            Values::LargeList(ends, item) => {
                (range(ends[row] as usize, ends[row + 1] as usize), item)
            }
            Values::ListView(begins, sizes, item) => {
                let begin = begins[row] as usize;
                (range(begin, begin + sizes[row] as usize), item)
            }
            Values::LargeListView(begins, sizes, item) => {
                let begin = begins[row] as usize;
                (range(begin, begin + sizes[row] as usize), item)
            }
            Values::FixedList(size, item) => (range(row * size, (row + 1) * size), item),
            _ => return None,
        })
    }
}

fn primitive<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<ScalarBuffer<T::Native>> {
    Some(array.as_primitive_opt::<T>()?.values().clone())
}

fn ints(array: &dyn Array) -> Option<Ints> {
    Some(match array.data_type() {
        DataType::Int8 => Ints::I8(primitive::<Int8Type>(array)?),
        DataType::Int16 => Ints::I16(primitive::<Int16Type>(array)?),
        DataType::Int32 => Ints::I32(primitive::<Int32Type>(array)?),
        DataType::Int64 => Ints::I64(primitive::<Int64Type>(array)?),
        DataType::UInt8 => Ints::U8(primitive::<UInt8Type>(array)?),
        DataType::UInt16 => Ints::U16(primitive::<UInt16Type>(array)?),
        DataType::UInt32 => Ints::U32(primitive::<UInt32Type>(array)?),
        DataType::UInt64 => Ints::U64(primitive::<UInt64Type>(array)?),
        _ => return None,
    })
}

fn keyed<K: ArrowDictionaryKeyType>(array: &dyn Array) -> Option<&dyn Array> {
    Some(array.as_dictionary_opt::<K>()?.keys())
}

/// The values of an array. None if it is not of this type, or if the type has no form.
fn values(array: &dyn Array, kind: &DataType, is_uuid: bool, elements: bool) -> Option<Values> {
    match kind {
        DataType::Null => Some(Values::Null),
        DataType::Boolean => Some(Values::Bool(array.as_boolean_opt()?.values().clone())),
        kind if kind.is_numeric() => numbers(array, kind),
        kind if kind.is_temporal() => moments(array, kind),
        DataType::Dictionary(_, kind) => dictionary(array, kind, is_uuid, elements),
        DataType::RunEndEncoded(ends, values) => runs(array, ends, values, elements),
        DataType::Struct(fields) => columns(array, fields, elements),
        DataType::Map(entries, _) => map(array, entries, elements),
        kind if kind.is_list() => list(array, kind, elements),
        kind => texts(array, kind, is_uuid),
    }
}

fn numbers(array: &dyn Array, kind: &DataType) -> Option<Values> {
    Some(match kind {
        DataType::UInt64 => Values::U64(primitive::<UInt64Type>(array)?),
        DataType::Float16 => Values::F16(primitive::<Float16Type>(array)?),
        DataType::Float32 => Values::F32(primitive::<Float32Type>(array)?),
        DataType::Float64 => Values::F64(primitive::<Float64Type>(array)?),
        DataType::Decimal32(_, scale) => {
            Values::Decimal32(primitive::<Decimal32Type>(array)?, *scale)
        }
        DataType::Decimal64(_, scale) => {
            Values::Decimal64(primitive::<Decimal64Type>(array)?, *scale)
        }
        DataType::Decimal128(_, scale) => {
            Values::Decimal128(primitive::<Decimal128Type>(array)?, *scale)
        }
        DataType::Decimal256(_, scale) => {
            Values::Decimal256(primitive::<Decimal256Type>(array)?, *scale)
        }
        _ => Values::Int(ints(array)?),
    })
}

/// Dates, times, moments and spans of time.
fn moments(array: &dyn Array, kind: &DataType) -> Option<Values> {
    Some(match kind {
        DataType::Date32 => Values::Days(primitive::<Date32Type>(array)?),
        DataType::Date64 => Values::Millis(primitive::<Date64Type>(array)?),
        DataType::Time32(TimeUnit::Second) => {
            Values::Time(Ints::I32(primitive::<Time32SecondType>(array)?), Unit::SECONDS)
        }
        DataType::Time32(_) => {
            Values::Time(Ints::I32(primitive::<Time32MillisecondType>(array)?), Unit::MILLIS)
        }
        DataType::Time64(TimeUnit::Nanosecond) => {
            Values::Time(Ints::I64(primitive::<Time64NanosecondType>(array)?), Unit::NANOS)
        }
        DataType::Time64(_) => {
            Values::Time(Ints::I64(primitive::<Time64MicrosecondType>(array)?), Unit::MICROS)
        }
        DataType::Timestamp(unit, zone) => {
            let values = match unit {
                TimeUnit::Second => primitive::<TimestampSecondType>(array)?,
                TimeUnit::Millisecond => primitive::<TimestampMillisecondType>(array)?,
                TimeUnit::Microsecond => primitive::<TimestampMicrosecondType>(array)?,
                TimeUnit::Nanosecond => primitive::<TimestampNanosecondType>(array)?,
            };
            Values::Instant(values, unit_of(*unit), Zone::of(zone.as_deref()))
        }
        DataType::Duration(unit) => {
            let values = match unit {
                TimeUnit::Second => primitive::<DurationSecondType>(array)?,
                TimeUnit::Millisecond => primitive::<DurationMillisecondType>(array)?,
                TimeUnit::Microsecond => primitive::<DurationMicrosecondType>(array)?,
                TimeUnit::Nanosecond => primitive::<DurationNanosecondType>(array)?,
            };
            Values::Span(values, unit_of(*unit))
        }
        _ => return None,
    })
}

fn unit_of(unit: TimeUnit) -> Unit {
    match unit {
        TimeUnit::Second => Unit::SECONDS,
        TimeUnit::Millisecond => Unit::MILLIS,
        TimeUnit::Microsecond => Unit::MICROS,
        TimeUnit::Nanosecond => Unit::NANOS,
    }
}

/// Texts and bytes.
fn texts(array: &dyn Array, kind: &DataType, is_uuid: bool) -> Option<Values> {
    Some(match kind {
        DataType::Utf8 => Values::Text(array.as_string_opt()?.clone()),
        DataType::LargeUtf8 => Values::LargeText(array.as_string_opt()?.clone()),
        DataType::Utf8View => Values::TextView(array.as_string_view_opt()?.clone()),
        DataType::Binary => Values::Bytes(array.as_binary_opt()?.clone()),
        DataType::LargeBinary => Values::LargeBytes(array.as_binary_opt()?.clone()),
        DataType::BinaryView => Values::BytesView(array.as_binary_view_opt()?.clone()),
        DataType::FixedSizeBinary(16) if is_uuid => {
            Values::Uuid(array.as_fixed_size_binary_opt()?.clone())
        }
        DataType::FixedSizeBinary(_) => {
            Values::BytesFixed(array.as_fixed_size_binary_opt()?.clone())
        }
        _ => return None,
    })
}

/// Places in other values, which are of this type.
fn dictionary(array: &dyn Array, kind: &DataType, is_uuid: bool, elements: bool) -> Option<Values> {
    let keys = match array.as_any_dictionary_opt()?.keys().data_type() {
        DataType::Int8 => keyed::<Int8Type>(array),
        DataType::Int16 => keyed::<Int16Type>(array),
        DataType::Int32 => keyed::<Int32Type>(array),
        DataType::Int64 => keyed::<Int64Type>(array),
        DataType::UInt8 => keyed::<UInt8Type>(array),
        DataType::UInt16 => keyed::<UInt16Type>(array),
        DataType::UInt32 => keyed::<UInt32Type>(array),
        _ => keyed::<UInt64Type>(array),
    };
    let array = array.as_any_dictionary_opt()?.values();
    let values = values(array, kind, is_uuid, elements)?;
    let lent = lend::Key::default();
    let (nulls, shared) = (array.nulls().cloned(), AtomicUsize::default());
    let told = Told { name: "".into(), lent, nulls, values, shared };
    Some(Values::Keyed(ints(keys?)?, Box::new(told)))
}

fn runs(array: &dyn Array, ends: &Field, values: &Field, elements: bool) -> Option<Values> {
    let (runs, array): (_, &dyn Array) = match ends.data_type() {
        DataType::Int16 => {
            let array = array.as_run_opt::<Int16Type>()?;
            (Runs::I16(array.clone()), array.values())
        }
        DataType::Int32 => {
            let array = array.as_run_opt::<Int32Type>()?;
            (Runs::I32(array.clone()), array.values())
        }
        _ => {
            let array = array.as_run_opt::<Int64Type>()?;
            (Runs::I64(array.clone()), array.values())
        }
    };
    Some(Values::Runs(runs, inner(array, values, elements)?))
}

fn list(array: &dyn Array, kind: &DataType, elements: bool) -> Option<Values> {
    Some(match kind {
        DataType::List(item) => {
            let array = array.as_list_opt::<i32>()?;
            Values::List(array.offsets().inner().clone(), inner(array.values(), item, elements)?)
        }
        DataType::LargeList(item) => {
            let array = array.as_list_opt::<i64>()?;
            let items = inner(array.values(), item, elements)?;
            Values::LargeList(array.offsets().inner().clone(), items)
        }
        DataType::ListView(item) => {
            let array = array.as_list_view_opt::<i32>()?;
            let (begins, sizes) = (array.offsets().clone(), array.sizes().clone());
            Values::ListView(begins, sizes, inner(array.values(), item, elements)?)
        }
        DataType::LargeListView(item) => {
            let array = array.as_list_view_opt::<i64>()?;
            let (begins, sizes) = (array.offsets().clone(), array.sizes().clone());
            Values::LargeListView(begins, sizes, inner(array.values(), item, elements)?)
        }
        DataType::FixedSizeList(item, size) => {
            let array = array.as_fixed_size_list_opt()?;
            let items = inner(array.values(), item, elements)?;
            Values::FixedList(usize::try_from(*size).ok()?, items)
        }
        _ => return None,
    })
}

fn columns(array: &dyn Array, fields: &Fields, elements: bool) -> Option<Values> {
    let columns = array.as_struct_opt()?.columns();
    let mut told = Vec::with_capacity(columns.len());
    for (column, field) in columns.iter().zip(fields) {
        told.push(Told::new(column, field, elements)?);
    }
    if elements {
        told.sort_by_key(|column| !column.name.starts_with('@'));
    }
    Some(Values::Struct(told))
}

fn map(array: &dyn Array, entries: &Field, elements: bool) -> Option<Values> {
    let array = array.as_map_opt()?;
    let DataType::Struct(fields) = entries.data_type() else { return None };
    let [key, value] = &**fields else { return None };
    let keys = inner(array.keys(), key, elements)?;
    let values = inner(array.values(), value, elements)?;
    Some(Values::Map(array.offsets().inner().clone(), keys, values))
}

/// An array in another one.
fn inner(array: &dyn Array, field: &Field, elements: bool) -> Option<Box<Told>> {
    Some(Box::new(Told::new(array, field, elements)?))
}
