//! What pydantic is told about a class that is not its own: `with_config(...)` on a `TypedDict` or a
//! dataclass, and a `Field(...)` as the default of a dataclass.
//!
//! Penstock obeys `extra="forbid"`. Any other setting that has an effect on values is refused, so
//! a class of pydantic around it leaves the whole value to pydantic.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::plan::make::type_objects;
use crate::plan::types::known;
use crate::plan::types::wrappers::is_instance;

/// Settings without an effect on the values that are read, as Penstock reads them.
const HARMLESS: [&str; 35] = [
    "arbitrary_types_allowed",
    "cache_strings",
    "defer_build",
    "experimental_defer_build_mode",
    "field_title_generator",
    "from_attributes",
    "frozen",
    "hide_input_in_errors",
    "ignored_types",
    "json_encoders",
    "json_schema_extra",
    "json_schema_mode_override",
    "json_schema_serialization_defaults_required",
    "loc_by_alias",
    "model_title_generator",
    "plugin_settings",
    "polymorphic_serialization",
    "populate_by_name",
    "protected_namespaces",
    "regex_engine",
    "revalidate_instances",
    "schema_generator",
    "ser_json_bytes",
    "ser_json_inf_nan",
    "ser_json_temporal",
    "ser_json_timedelta",
    "serialize_by_alias",
    "strict",
    "title",
    "use_attribute_docstrings",
    "validate_assignment",
    "validate_by_alias",
    "validate_by_name",
    "validate_return",
    "validation_error_cause",
];

/// The settings of a class, or of the nearest base that has some.
fn settings<'py>(class: &Bound<'py, PyType>) -> PyResult<Option<Bound<'py, PyDict>>> {
    let py = class.py();
    let mut open = vec![class.clone()];
    while let Some(class) = open.pop() {
        if let Some(config) = type_objects::attribute(&class, intern!(py, "__pydantic_config__"))
            && let Ok(config) = config.cast_into::<PyDict>()
        {
            return Ok(Some(config));
        }
        if type_objects::own_attribute(&class, intern!(py, "__total__")).is_none() {
            continue;
        }
        // A dict type keeps its bases here, and its real base is `dict`.
        let bases = type_objects::own_attribute(&class, intern!(py, "__orig_bases__"));
        let bases = bases.and_then(|bases| bases.cast_into::<PyTuple>().ok());
        for base in bases.iter().flatten() {
            let base = base.getattr_opt(intern!(py, "__origin__"))?.unwrap_or(base);
            open.extend(base.cast_into::<PyType>().ok());
        }
    }
    Ok(None)
}

/// Whether the class refuses keys that it does not name: `extra="forbid"`.
pub(in crate::plan) fn forbids_extra(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let Some(settings) = settings(class)? else { return Ok(false) };
    match settings.get_item(intern!(class.py(), "extra"))? {
        Some(extra) => extra.eq("forbid"),
        None => Ok(false),
    }
}

/// What only pydantic does with a class that is not its own, if there is such a thing.
pub(in crate::plan) fn unheeded(class: &Bound<'_, PyType>) -> PyResult<Option<String>> {
    let py = class.py();
    if let Some(settings) = settings(class)? {
        for (name, value) in &settings {
            let name = name.cast_into::<PyString>()?;
            let name = name.to_str()?;
            let has_effect = match name {
                "extra" => value.eq("allow")?,
                "allow_inf_nan" => !value.is_none() && !value.is_truthy()?,
                "str_max_length" => !value.is_none(),
                name if HARMLESS.contains(&name) => false,
                _ => value.is_truthy()?,
            };
            if has_effect {
                let class = class.name()?;
                return Ok(Some(format!(
                    "{class} has with_config({name}=...), which only works in a class of pydantic"
                )));
            }
        }
    }
    let Some(fields) = type_objects::attribute(class, intern!(py, "__dataclass_fields__")) else {
        return Ok(None);
    };
    for field in fields.cast_into::<PyDict>()?.values() {
        if is_instance(&field.getattr(intern!(py, "default"))?, &known::PYDANTIC_FIELD) {
            let (class, name) = (class.name()?, field.getattr(intern!(py, "name"))?);
            return Ok(Some(format!(
                "the default of '{name}' of {class} is a Field(...), which only works in a class \
                 of pydantic"
            )));
        }
    }
    Ok(None)
}
