//! The schema, and a batch of what the columns hold. The buffers are handed over, not copied.

use crate::bits::Bits;
use crate::column::{Bytes, Column, Data};
use crate::columns::Columns;
use crate::plan::{Kind, Node, NodeId, Plan, Width};
use arrow_array::types::{
    ArrowPrimitiveType, Decimal128Type, Decimal256Type, DurationMicrosecondType, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, DictionaryArray, FixedSizeBinaryArray,
    FixedSizeListArray, ListArray, MapArray, NullArray, PrimitiveArray, RecordBatch,
    RecordBatchOptions, StringArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use penstock_core::value::unix::Unit;
use penstock_scan::gathered;
use std::collections::HashMap;
use std::sync::Arc;

/// The Arrow type of a column.
fn data_type(plan: &Plan, node: &Node) -> DataType {
    let words = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    match &node.kind {
        Kind::Null => DataType::Null,
        Kind::Int(width) => match width {
            Width::I8 => DataType::Int8,
            Width::I16 => DataType::Int16,
            Width::I32 => DataType::Int32,
            Width::I64 => DataType::Int64,
            Width::U8 => DataType::UInt8,
            Width::U16 => DataType::UInt16,
            Width::U32 => DataType::UInt32,
            Width::U64 => DataType::UInt64,
        },
        Kind::ChoiceInt(_) => DataType::Int64,
        Kind::Float => DataType::Float64,
        Kind::Float32 => DataType::Float32,
        Kind::Bool => DataType::Boolean,
        Kind::Str | Kind::Json | Kind::Spelled => DataType::Utf8,
        Kind::Dictionary | Kind::Choice(_) => words(),
        Kind::Bytes(_) => DataType::Binary,
        Kind::Date(_) => DataType::Date32,
        Kind::Time(_) => DataType::Time64(TimeUnit::Microsecond),
        Kind::Timestamp { unit, utc, .. } => {
            let unit = match unit {
                Unit::Seconds => TimeUnit::Second,
                Unit::Milliseconds => TimeUnit::Millisecond,
                Unit::Microseconds => TimeUnit::Microsecond,
                Unit::Nanoseconds => TimeUnit::Nanosecond,
            };
            DataType::Timestamp(unit, utc.then(|| "UTC".into()))
        }
        Kind::Duration => DataType::Duration(TimeUnit::Microsecond),
        Kind::Decimal { precision, scale } if *precision <= 38 => {
            DataType::Decimal128(*precision, *scale)
        }
        Kind::Decimal { precision, scale } => DataType::Decimal256(*precision, *scale),
        Kind::Uuid => DataType::FixedSizeBinary(16),
        Kind::List(item) => DataType::List(field(plan, *item)),
        Kind::Tuple(item, count) => DataType::FixedSizeList(field(plan, *item), *count as i32),
        Kind::Struct(of) => DataType::Struct(fields(plan, &of.fields)),
        Kind::Map(key, value) => DataType::Map(entries(plan, *key, *value), false),
    }
}

fn entries(plan: &Plan, key: NodeId, value: NodeId) -> FieldRef {
    let fields = fields(plan, &[key, value]);
    Arc::new(Field::new("entries", DataType::Struct(fields), false))
}

fn fields(plan: &Plan, nodes: &[NodeId]) -> Fields {
    gathered(nodes.iter().map(|node| field(plan, *node))).into()
}

fn field(plan: &Plan, id: NodeId) -> FieldRef {
    let node = &plan.nodes[id as usize];
    let field = Field::new(&*node.name, data_type(plan, node), node.may_be_null());
    let extension = match node.kind {
        Kind::Uuid => Some("arrow.uuid"),
        Kind::Json => Some("arrow.json"),
        _ => None,
    };
    Arc::new(match extension {
        Some(name) => {
            let metadata = [
                ("ARROW:extension:name".to_owned(), name.to_owned()),
                ("ARROW:extension:metadata".to_owned(), String::new()),
            ];
            field.with_metadata(HashMap::from(metadata))
        }
        None => field,
    })
}

/// The schema of a plan's batches.
pub(crate) fn schema(plan: &Plan) -> SchemaRef {
    let Kind::Struct(of) = &plan.nodes[plan.root as usize].kind else {
        unreachable!("a record is a struct")
    };
    Arc::new(Schema::new(fields(plan, &of.fields)))
}

fn bits(bits: Bits) -> BooleanBuffer {
    let (bytes, count) = bits.into_parts();
    BooleanBuffer::new(Buffer::from_vec(bytes), 0, count)
}

fn strings(Bytes { offsets, bytes }: Bytes) -> (OffsetBuffer<i32>, Buffer) {
    (OffsetBuffer::new(ScalarBuffer::from(offsets)), Buffer::from_vec(bytes))
}

/// Integers of a narrower type. All of them were checked.
fn narrow<T>(values: Vec<i64>, to: impl Fn(i64) -> T) -> ScalarBuffer<T>
where
    T: arrow_buffer::ArrowNativeType,
{
    ScalarBuffer::from(gathered(values.into_iter().map(to)))
}

/// Makes an array of texts: of where each begins and ends, of all their bytes, and of which there are.
/// The texts are UTF-8, because columns take nothing else.
pub type Texts =
    fn(OffsetBuffer<i32>, Buffer, Option<NullBuffer>) -> Result<StringArray, ArrowError>;

impl Columns {
    /// Takes all complete rows out, as a batch. What there is of another one is lost.
    ///
    /// # Errors
    /// None that is known: Arrow checks again what was checked here.
    pub fn batch(&mut self) -> Result<RecordBatch, ArrowError> {
        self.batch_with(StringArray::try_new)
    }

    /// The same, with arrays of texts that the caller makes: of a batch of texts, looking for UTF-8
    /// again takes a tenth of the time of reading it.
    ///
    /// # Errors
    /// Those of `texts`, and none else that is known.
    pub fn batch_with(&mut self, texts: Texts) -> Result<RecordBatch, ArrowError> {
        self.abandon();
        let rows = self.rows();
        let root = self.plan.root;
        let Kind::Struct(of) = &self.plan.nodes[root as usize].kind else {
            return Err(ArrowError::InvalidArgumentError("a record is a struct".to_owned()));
        };
        let mut arrays = Vec::with_capacity(of.fields.len());
        for field in of.fields.clone() {
            arrays.push(self.array(field, texts)?);
        }
        self.columns[root as usize].take();
        self.bytes = 0;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)
    }

    /// Takes a column out.
    fn array(&mut self, id: NodeId, texts: Texts) -> Result<ArrayRef, ArrowError> {
        let Column { data, valid, rows } = self.columns[id as usize].take();
        let nulls = valid.map(|valid| NullBuffer::new(bits(valid)));
        let kind = data_type(&self.plan, &self.plan.nodes[id as usize]);
        Ok(match data {
            Data::Int(values) => integers(values, rows, &kind, nulls)?,
            Data::Float(values) => floats(values, &kind, nulls)?,
            Data::Bool(values) => Arc::new(BooleanArray::new(bits(values), nulls)),
            Data::Bytes(values) => {
                let (offsets, bytes) = strings(values);
                match &kind {
                    DataType::Binary => Arc::new(BinaryArray::try_new(offsets, bytes, nulls)?),
                    _ => Arc::new(texts(offsets, bytes, nulls)?),
                }
            }
            Data::Date(values) => Arc::new(Date32Array::try_new(values.into(), nulls)?),
            Data::Decimal(values) => primitive::<Decimal128Type>(values.into(), &kind, nulls)?,
            Data::Decimal256(values) => primitive::<Decimal256Type>(values.into(), &kind, nulls)?,
            Data::Uuid(values) => {
                Arc::new(FixedSizeBinaryArray::try_new(16, Buffer::from_vec(values), nulls)?)
            }
            Data::Dictionary(places, words) => {
                let words = match &self.plan.nodes[id as usize].kind {
                    Kind::Choice(choice) => all_of(&choice.values),
                    _ => words.words,
                };
                dictionary(places, words, nulls, texts)?
            }
            Data::List(offsets) => self.list(id, &kind, offsets, nulls, texts)?,
            Data::Nested => self.nested(id, kind, rows, nulls, texts)?,
        })
    }

    /// The lists or the maps of a column whose items begin and end there.
    fn list(
        &mut self,
        id: NodeId,
        kind: &DataType,
        offsets: Vec<i32>,
        nulls: Option<NullBuffer>,
        texts: Texts,
    ) -> Result<ArrayRef, ArrowError> {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        Ok(match (kind, &self.plan.nodes[id as usize].kind) {
            (DataType::List(item), Kind::List(inner)) => {
                let items = self.array(*inner, texts)?;
                Arc::new(ListArray::try_new(item.clone(), offsets, items, nulls)?)
            }
            (DataType::Map(entries, _), Kind::Map(key, value)) => {
                let (key, value) = (*key, *value);
                let DataType::Struct(fields) = entries.data_type() else {
                    return Err(ArrowError::SchemaError("a map has entries".to_owned()));
                };
                let arrays = vec![self.array(key, texts)?, self.array(value, texts)?];
                let all = StructArray::try_new(fields.clone(), arrays, None)?;
                Arc::new(MapArray::try_new(entries.clone(), offsets, all, nulls, false)?)
            }
            _ => return Err(ArrowError::SchemaError("a list has items".to_owned())),
        })
    }

    /// A column that has nothing but the columns inside of it.
    fn nested(
        &mut self,
        id: NodeId,
        kind: DataType,
        rows: usize,
        nulls: Option<NullBuffer>,
        texts: Texts,
    ) -> Result<ArrayRef, ArrowError> {
        Ok(match (kind, &self.plan.nodes[id as usize].kind) {
            (DataType::Null, _) => Arc::new(NullArray::new(rows)),
            (DataType::FixedSizeList(item, count), Kind::Tuple(inner, _)) => {
                let items = self.array(*inner, texts)?;
                let made =
                    FixedSizeListArray::try_new_with_length(item, count, items, nulls, rows)?;
                Arc::new(made)
            }
            (DataType::Struct(fields), Kind::Struct(of)) => {
                let inner = of.fields.clone();
                let mut arrays = Vec::with_capacity(inner.len());
                for field in inner {
                    arrays.push(self.array(field, texts)?);
                }
                Arc::new(StructArray::try_new_with_length(fields, arrays, nulls, rows)?)
            }
            _ => return Err(ArrowError::SchemaError("a struct has fields".to_owned())),
        })
    }
}

/// An array of numbers, which stand for this type.
fn primitive<T: ArrowPrimitiveType>(
    values: ScalarBuffer<T::Native>,
    kind: &DataType,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    Ok(Arc::new(PrimitiveArray::<T>::try_new(values, nulls)?.with_data_type(kind.clone())))
}

/// Integers, and what is counted: times, moments and spans.
fn integers(
    values: Vec<i64>,
    rows: usize,
    kind: &DataType,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    match kind {
        DataType::Int8 => primitive::<Int8Type>(narrow(values, |value| value as i8), kind, nulls),
        DataType::Int16 => {
            primitive::<Int16Type>(narrow(values, |value| value as i16), kind, nulls)
        }
        DataType::Int32 => {
            primitive::<Int32Type>(narrow(values, |value| value as i32), kind, nulls)
        }
        DataType::UInt8 => primitive::<UInt8Type>(narrow(values, |value| value as u8), kind, nulls),
        DataType::UInt16 => {
            primitive::<UInt16Type>(narrow(values, |value| value as u16), kind, nulls)
        }
        DataType::UInt32 => {
            primitive::<UInt32Type>(narrow(values, |value| value as u32), kind, nulls)
        }
        DataType::UInt64 => {
            let values = ScalarBuffer::<u64>::new(Buffer::from_vec(values), 0, rows);
            primitive::<UInt64Type>(values, kind, nulls)
        }
        DataType::Time64(_) => primitive::<Time64MicrosecondType>(values.into(), kind, nulls),
        DataType::Duration(_) => primitive::<DurationMicrosecondType>(values.into(), kind, nulls),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => primitive::<TimestampSecondType>(values.into(), kind, nulls),
            TimeUnit::Millisecond => {
                primitive::<TimestampMillisecondType>(values.into(), kind, nulls)
            }
            TimeUnit::Microsecond => {
                primitive::<TimestampMicrosecondType>(values.into(), kind, nulls)
            }
            TimeUnit::Nanosecond => {
                primitive::<TimestampNanosecondType>(values.into(), kind, nulls)
            }
        },
        _ => primitive::<Int64Type>(values.into(), kind, nulls),
    }
}

fn floats(
    values: Vec<f64>,
    kind: &DataType,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    match kind {
        DataType::Float32 => {
            let values = gathered(values.into_iter().map(|value| value as f32));
            primitive::<Float32Type>(values.into(), kind, nulls)
        }
        _ => primitive::<Float64Type>(values.into(), kind, nulls),
    }
}

fn all_of(values: &[Box<str>]) -> Bytes {
    let mut all = Bytes::new();
    for value in values {
        all.push(value.as_bytes());
    }
    all
}

/// Texts that are places among these words.
fn dictionary(
    places: Vec<i32>,
    words: Bytes,
    nulls: Option<NullBuffer>,
    texts: Texts,
) -> Result<ArrayRef, ArrowError> {
    let (offsets, bytes) = strings(words);
    let words = texts(offsets, bytes, None)?;
    let places = PrimitiveArray::<Int32Type>::try_new(places.into(), nulls)?;
    Ok(Arc::new(DictionaryArray::try_new(places, Arc::new(words))?))
}
