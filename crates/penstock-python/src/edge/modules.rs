//! The private modules of the package that the extension imports, each named here and nowhere else.

/// `EmptyWarning` and `MixedContentWarning`.
pub(crate) const BROKEN: &str = "penstock._base.broken";
pub(crate) const EMPTY: &str = "penstock._base.empty";
/// The exceptions, and how a text is shown in their messages.
pub(crate) const ERRORS: &str = "penstock._base.errors";
/// `Limits`.
pub(crate) const LIMITS: &str = "penstock._base.limits";
/// Where a record was read: what stages of pipelines ask for.
pub(crate) const PLACE: &str = "penstock._base.place";
/// Types together with `types=`.
pub(crate) const PLAN: &str = "penstock._base.plan";
/// `Repair` and `RepairWarning`.
pub(crate) const REPAIRS: &str = "penstock._base.repairs";
/// Where an option is that a function does not have.
pub(crate) const SUGGEST: &str = "penstock._base.suggest";
/// The views of the maps of open documents.
pub(crate) const VIEWS: &str = "penstock._base.views";
/// `at`, `rest`, and the words that say how bytes are written.
pub(crate) const AT: &str = "penstock._annotations.at";
/// `cells`, `separated` and `spread`.
pub(crate) const CELLS: &str = "penstock._annotations.cells";
/// The constraints that classes declare.
pub(crate) const CONSTRAINTS: &str = "penstock._annotations.constraints";
/// Conversions that the extension leaves to Python.
pub(crate) const CONVERSIONS: &str = "penstock._annotations.conversions";
/// What pydantic does not obey in a value that it makes itself.
pub(crate) const LEFT: &str = "penstock._annotations.left";
/// `pattern`, `typecode` and `Exact`.
pub(crate) const MARKS: &str = "penstock._annotations.marks";
/// Dicts out of elements with a key and a value each.
pub(crate) const PAIRS: &str = "penstock._annotations.pairs";
/// What the parameter of a function takes.
pub(crate) const PARAMETERS: &str = "penstock._annotations.parameters";
/// What pydantic writes by functions of its own.
pub(crate) const SERIALIZERS: &str = "penstock._annotations.serializers";
/// `tag`.
pub(crate) const TAG: &str = "penstock._annotations.tag";
/// `times` and `unix`.
pub(crate) const TIMES: &str = "penstock._annotations.times";
/// `via`.
pub(crate) const VIA: &str = "penstock._annotations.via";
/// `csv.Dialect`.
pub(crate) const DIALECT: &str = "penstock._io.dialect";
/// Classes of Arrow schemas.
pub(crate) const SCHEMAS: &str = "penstock._arrow.schemas";
/// The types of columns, and schemas out of pickles.
pub(crate) const COLUMN_TYPES: &str = "penstock._arrow.types";
/// Open documents out of pickles.
pub(crate) const OPEN: &str = "penstock._verbs.open";
/// `Checkpoint`.
pub(crate) const CHECKPOINT: &str = "penstock._parts.checkpoint";
/// `Pipeline`.
pub(crate) const PIPELINE: &str = "penstock._streams.pipeline";
