//! Parts of an object: objects that are made of members of the same map or element (`at(".")`).
//!
//! Their values stand behind those of the object around them, part by part. The last part is made
//! first, so that its values are on top of the stack, and stands in the place of its field then.

use super::fields::{fill, keep_missing, missing};
use super::{Made, object};
use crate::objects::core::Core;
use crate::objects::core::refusal::Refusal;
use crate::plan::{Absent, ClassPlan, Part};
use penstock_core::shape::Form;

/// Makes the parts of the current object, and then fills the places of all fields that have no
/// value.
#[cold]
#[inline(never)]
pub(super) fn fill_all(builder: &mut Core<'_>, class: &ClassPlan, at: u64) -> Result<(), Refusal> {
    // Only the class of a row knows the names of its columns.
    if builder.options.all_errors || builder.plan().form == Form::ROWS {
        // Before any of the user's code runs.
        keep_missing(builder, class, 0, at)?;
        if builder.top().spoiled {
            return Err(Refusal::kept());
        }
    }
    let slots = builder.top().slots;
    let mut lost = false;
    for part in class.parts.iter().rev() {
        let from = slots + part.first;
        if !is_there(builder, class, part) {
            builder.stack.forget_from(from);
            continue;
        }
        match made(builder, class, part, at) {
            Ok(object) => {
                // The place of such a field is empty: no key leads to it.
                builder.stack.replace(slots + part.field as usize, object);
            }
            Err(refusal) => {
                builder.stack.release_from(builder.attached(), from);
                builder.keep(refusal)?;
                lost = true;
            }
        }
    }
    if lost {
        return Err(Refusal::kept());
    }
    if !class.tells_fields {
        builder.forget_noted(slots);
    }
    for (index, field) in class.own().iter().enumerate() {
        if builder.stack.get(slots + index).is_null() || field.gathers {
            fill(builder, class, field, index, at)?;
        }
    }
    Ok(())
}

/// Keeps a problem for each required field of the parts that has no value.
#[cold]
#[inline(never)]
pub(super) fn keep_missing_of_parts(
    builder: &mut Core<'_>,
    class: &ClassPlan,
    at: u64,
) -> Result<(), Refusal> {
    if builder.plan().form == Form::ROWS {
        return keep_missing_columns(builder, class, class, 0, at);
    }
    for part in &class.parts {
        if is_there(builder, class, part) {
            within(builder, part, |builder, inner| keep_missing(builder, inner, 0, at))?;
        }
    }
    Ok(())
}

/// Whether a part is made: if it must be there, or if one of its fields has a value.
fn is_there(builder: &Core<'_>, class: &ClassPlan, part: &Part) -> bool {
    let from = builder.top().slots + part.first;
    let count = builder.plan().classes[part.class as usize].fields.len();
    matches!(class.fields[part.field as usize].absent, Absent::Error)
        || (from..from + count).any(|place| !builder.stack.get(place).is_null())
}

/// Makes the object of a part, whose values are on top of the stack.
fn made(builder: &mut Core<'_>, class: &ClassPlan, part: &Part, at: u64) -> Made {
    let recycle = std::mem::replace(&mut builder.options.recycle, false);
    let made = within(builder, part, |builder, _| object(builder, at));
    builder.options.recycle = recycle;
    let mut made = builder.finish(class.fields[part.field as usize].node, made?, at);
    if let Some(mismatch) = made.as_mut().err().and_then(Refusal::mismatch) {
        mismatch.path = builder.path(false);
    }
    made
}

/// Keeps a problem for each required column that has no value, of the parts of a class whose fields
/// begin at `first` among those of `all`. Only that class knows the names of the columns.
fn keep_missing_columns(
    builder: &mut Core<'_>,
    all: &ClassPlan,
    class: &ClassPlan,
    first: usize,
    at: u64,
) -> Result<(), Refusal> {
    let slots = builder.top().slots;
    for part in &class.parts {
        let from = first + part.first;
        let inner = &builder.plan().classes[part.class as usize];
        let mut values = (from..from + inner.fields.len()).map(|it| builder.stack.get(slots + it));
        let is_there = values.any(|value| !value.is_null());
        if !is_there && !matches!(class.fields[part.field as usize].absent, Absent::Error) {
            continue;
        }
        for (index, field) in inner.own().iter().enumerate() {
            let is_part = inner.parts.iter().any(|part| part.field as usize == index);
            if builder.stack.get(slots + from + index).is_null()
                && matches!(field.absent, Absent::Error)
                && !(field.gathers || is_part)
            {
                let refusal = missing(builder, all, &all.fields[from + index], at);
                builder.keep(refusal)?;
            }
        }
        keep_missing_columns(builder, all, inner, from, at)?;
    }
    Ok(())
}

/// Does something as if a part were the current object.
fn within<T>(
    builder: &mut Core<'_>,
    part: &Part,
    work: impl FnOnce(&mut Core<'_>, &ClassPlan) -> T,
) -> T {
    let top = builder.top_mut();
    let (class, slots, spoiled) = (top.class, top.slots, top.spoiled);
    (top.class, top.slots, top.spoiled) = (part.class, slots + part.first, false);
    let inner = builder.class();
    let done = work(builder, inner);
    let top = builder.top_mut();
    (top.class, top.slots) = (class, slots);
    top.spoiled |= spoiled;
    done
}
