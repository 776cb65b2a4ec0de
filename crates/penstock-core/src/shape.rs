//! The form of a format's data: two questions that decide how a document becomes values.
//!
//! JSON has maps with members, and says of each value whether it is a number or a string. XML has
//! elements with attributes, and all of its values are text. CSV has members as JSON does, and text
//! as XML does. So these are two questions, and a plan is made for an answer to both.

/// The kind of containers that a format has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Maps with members, and lists: JSON, CSV, property lists. A key that comes again is a
    /// duplicate.
    Members,
    /// Elements with attributes, text and child elements: XML. An element that comes again is one
    /// more of its kind.
    Elements,
}

/// What a format says about the types of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Values {
    /// Each value is null, a boolean, a number or a string: JSON, property lists.
    Typed,
    /// All values are text, and the destination decides their types: XML, CSV. See
    /// [`value::lexical`](crate::value::lexical).
    Lexical,
}

/// The answers to both questions.
///
/// ```
/// use penstock_core::shape::{Form, Shape, Values};
///
/// let csv = Form::ROWS;
/// assert_eq!((csv.shape, csv.values), (Shape::Members, Values::Lexical));
/// assert!(!csv.has_elements() && csv.is_lexical());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// The kind of containers.
    pub shape: Shape,
    /// What the format says about the types of values.
    pub values: Values,
}

impl Form {
    /// Members and typed values: JSON, property lists.
    pub const KEYED: Form = Form { shape: Shape::Members, values: Values::Typed };
    /// Members and untyped text: CSV.
    pub const ROWS: Form = Form { shape: Shape::Members, values: Values::Lexical };
    /// Elements and untyped text: XML.
    pub const MARKUP: Form = Form { shape: Shape::Elements, values: Values::Lexical };

    /// How many forms there are: each has its own [index](Self::index) below.
    pub const COUNT: usize = 4;

    /// Whether there are elements and attributes.
    #[must_use]
    #[inline(always)]
    pub const fn has_elements(self) -> bool {
        matches!(self.shape, Shape::Elements)
    }

    /// Whether all values are untyped text.
    #[must_use]
    #[inline(always)]
    pub const fn is_lexical(self) -> bool {
        matches!(self.values, Values::Lexical)
    }

    /// The index of the form in a table of [all](Self::COUNT).
    ///
    /// ```
    /// use penstock_core::shape::Form;
    ///
    /// let places = [Form::KEYED, Form::ROWS, Form::MARKUP].map(Form::index);
    /// assert_eq!(places, [0, 1, 3]);
    /// ```
    #[must_use]
    pub const fn index(self) -> usize {
        2 * self.shape as usize + self.values as usize
    }
}
