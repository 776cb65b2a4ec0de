//! Resolves the names in string annotations.
//!
//! With `from __future__ import annotations`, a quoted type, or a reference to a later class, the
//! annotation is text. It means the same as for `typing.get_type_hints`: names are looked up in the
//! module of the class that declares the field, then in that class, then among the builtins. Before
//! all of these comes the `namespace` of the plan, for names that are local to a function.
//!
//! For classes that are local to a function, two more rules help. The name of the class means the
//! class, unless its module or its body has another object of that name. A name that is found
//! nowhere is looked up among the classes that the plan has met: one of that name counts if it is
//! defined in the same place as this class. Type variables of `class Box[T]` come before the names
//! of the module; those of `class Box(Generic[T])` are names of a module or a function, and come
//! last.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use pyo3::exceptions::PyNameError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::code::PyCodeInput;
use pyo3::types::{PyCode, PyCodeMethods, PyDict, PyString, PyTuple, PyType};

use super::generics::Bindings;
use super::known::imported;
use crate::plan::ClassId;
use crate::plan::make::type_objects;

/// The classes that a plan has needed so far.
pub(in crate::plan) type Relatives<'py> = Rc<RefCell<Vec<Bound<'py, PyType>>>>;

/// Where to look up the names of one class's annotations.
pub(in crate::plan) struct Scope<'py> {
    class: Option<Bound<'py, PyType>>,
    /// The names of the module. Without them, only `namespace` and the builtins are left.
    module: Option<Bound<'py, PyDict>>,
    namespace: Option<Bound<'py, PyDict>>,
    relatives: Relatives<'py>,
    /// The class that is being planned, whose own or inherited annotations these are.
    pub(in crate::plan) instance: Option<ClassId>,
    /// The values of type variables.
    bindings: Bindings<'py>,
    /// The alias with arguments whose value is walked, and the values of its variables.
    alias: Option<(Bound<'py, PyAny>, Bindings<'py>)>,
    /// Whether the names are those of another module than the class's.
    elsewhere: bool,
    /// Globals and locals for expressions.
    frame: OnceCell<(Bound<'py, PyDict>, Bound<'py, PyDict>)>,
}

/// Why an annotation's text gives no object.
pub(in crate::plan) enum Unresolved {
    /// A name in it is not defined.
    Name,
    /// Evaluating it raised something else.
    Raised(PyErr),
}

impl<'py> Scope<'py> {
    /// The scope of annotations in the body of `class`, or outside of any class.
    pub(in crate::plan) fn new(
        class: Option<Bound<'py, PyType>>,
        namespace: Option<&Bound<'py, PyDict>>,
        relatives: &Relatives<'py>,
    ) -> Self {
        let module = class.as_ref().and_then(|class| {
            let name = type_objects::own_attribute(class, intern!(class.py(), "__module__"))?;
            module_names(name.cast::<PyString>().ok()?)
        });
        let (namespace, relatives) = (namespace.cloned(), relatives.clone());
        let (instance, bindings, frame) = (None, Vec::new(), OnceCell::new());
        let (alias, elsewhere) = (None, false);
        Scope { class, module, namespace, relatives, instance, bindings, alias, elsewhere, frame }
    }

    /// The scope while a class is planned: its own, or that of a base.
    pub(in crate::plan) fn of_instance(
        mut self,
        instance: ClassId,
        bindings: Bindings<'py>,
    ) -> Self {
        (self.instance, self.bindings) = (Some(instance), bindings);
        self
    }

    /// The key of a scope: the class, and the class that is being planned.
    pub(in crate::plan) fn address(&self) -> (usize, u32) {
        let class = match (&self.alias, &self.module) {
            (Some((alias, _)), _) => alias.as_ptr() as usize,
            (None, Some(module)) if self.elsewhere => module.as_ptr() as usize,
            _ => self.class.as_ref().map_or(0, |class| class.as_ptr() as usize),
        };
        (class, self.instance.map_or(0, |instance| instance + 1))
    }

    /// The scope of the value of an alias with arguments.
    pub(in crate::plan) fn of_alias(
        mut self,
        alias: Bound<'py, PyAny>,
        own: Bindings<'py>,
    ) -> Self {
        self.alias = Some((alias, own));
        self
    }

    /// The value of a type variable here.
    pub(in crate::plan) fn binding(
        &self,
        variable: &Bound<'py, PyAny>,
    ) -> Option<&Bound<'py, PyAny>> {
        let own = self.alias.iter().flat_map(|(_, own)| own);
        own.chain(&self.bindings).find(|(known, _)| known.is(variable)).map(|(_, meant)| meant)
    }

    /// The same with the names of another module, which a `ForwardRef` may carry.
    pub(in crate::plan) fn in_module(&self, module: &Bound<'py, PyString>) -> Scope<'py> {
        let module = module_names(module).or_else(|| self.module.clone());
        let (class, namespace) = (self.class.clone(), self.namespace.clone());
        Scope {
            class,
            module,
            namespace,
            relatives: self.relatives.clone(),
            instance: self.instance,
            bindings: self.bindings.clone(),
            alias: None,
            elsewhere: true,
            frame: OnceCell::new(),
        }
    }

    /// The names of the class's body, and those that the caller gives.
    pub(in crate::plan) fn own_names(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = match self.class.as_ref().and_then(type_objects::own_dict) {
            Some(names) => names.copy()?,
            None => PyDict::new(py),
        };
        if let Some(namespace) = &self.namespace {
            names.update(namespace.as_mapping())?;
        }
        Ok(names)
    }

    /// The same with these names before all others.
    pub(in crate::plan) fn with_more(&self, names: &Bound<'py, PyDict>) -> PyResult<Scope<'py>> {
        let namespace = match &self.namespace {
            Some(namespace) => namespace.copy()?,
            None => PyDict::new(names.py()),
        };
        namespace.update(names.as_mapping())?;
        Ok(Scope {
            class: self.class.clone(),
            module: self.module.clone(),
            namespace: Some(namespace),
            relatives: self.relatives.clone(),
            instance: self.instance,
            bindings: self.bindings.clone(),
            alias: self.alias.clone(),
            elsewhere: self.elsewhere,
            frame: OnceCell::new(),
        })
    }

    /// The same with these names instead of those of the class's module.
    pub(in crate::plan) fn with_names(mut self, names: &Bound<'py, PyDict>) -> Self {
        (self.elsewhere, self.module) = (true, Some(names.clone()));
        self
    }

    /// The object of `text`. It may be text again.
    pub(in crate::plan) fn evaluate(
        &self,
        text: &Bound<'py, PyString>,
    ) -> Result<Bound<'py, PyAny>, Unresolved> {
        let py = text.py();
        let source = text.to_str().map_err(Unresolved::Raised)?;
        if is_one_name(source) {
            if source == "None" {
                return Ok(py.None().into_bound(py));
            }
            return self.name(text).map_err(Unresolved::Raised)?.ok_or(Unresolved::Name);
        }
        self.expression(py, source).map_err(|error| {
            if error.is_instance_of::<PyNameError>(py) {
                Unresolved::Name
            } else {
                Unresolved::Raised(error)
            }
        })
    }

    /// Looks up a single name. Most annotations are one, and need no compiler.
    fn name(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(names) = &self.namespace
            && let Some(object) = names.get_item(name)?
        {
            return Ok(Some(object));
        }
        if let Some(variable) = self.variable(name, intern!(name.py(), "__type_params__"))? {
            return Ok(Some(variable));
        }
        if let Some(names) = &self.module
            && let Some(object) = names.get_item(name)?
        {
            return Ok(Some(object));
        }
        if let Some(names) = self.class.as_ref().and_then(type_objects::own_dict)
            && let Some(object) = names.get_item(name)?
        {
            return Ok(Some(object));
        }
        if let Some(class) = &self.class
            && same_name(name, class.name()?.as_any())
        {
            return Ok(Some(class.clone().into_any()));
        }
        if let Some(object) = name.py().import(intern!(name.py(), "builtins"))?.getattr_opt(name)? {
            return Ok(Some(object));
        }
        self.late(name)
    }

    /// What a name means that is found nowhere else.
    fn late(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.variable(name, intern!(name.py(), "__parameters__"))? {
            Some(variable) => Ok(Some(variable)),
            None => Ok(self.relative(name)?.map(Bound::into_any)),
        }
    }

    /// The type variable of this name among those that the class has in an attribute.
    fn variable(
        &self,
        name: &Bound<'py, PyString>,
        attribute: &Bound<'py, PyString>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        for variable in self.variables(attribute).iter().flatten() {
            if same_name(name, &variable.getattr(intern!(name.py(), "__name__"))?) {
                return Ok(Some(variable));
            }
        }
        Ok(None)
    }

    /// The type variables that the class has in an attribute.
    fn variables(&self, attribute: &Bound<'py, PyString>) -> Option<Bound<'py, PyTuple>> {
        let found = type_objects::own_attribute(self.class.as_ref()?, attribute)?;
        found.cast_into::<PyTuple>().ok().filter(|found| !found.is_empty())
    }

    /// The class of this name that was met and is defined where this one is.
    fn relative(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyType>>> {
        let Some(class) = &self.class else { return Ok(None) };
        let home = home(class)?;
        let mut found = None;
        for other in self.relatives.borrow().iter() {
            if same_name(name, other.name()?.as_any()) && super::names::home(other)? == home {
                // If there are two, either could be meant.
                if found.is_some() {
                    return Ok(None);
                }
                found = Some(other.clone());
            }
        }
        Ok(found)
    }

    fn expression(&self, py: Python<'py>, source: &str) -> PyResult<Bound<'py, PyAny>> {
        // Leading white space would be an indentation, but a string annotation may have it.
        let source = std::ffi::CString::new(source.trim_start())?;
        let code = PyCode::compile(py, &source, c"<annotation>", PyCodeInput::Eval)?;
        let (globals, locals) = match self.frame.get() {
            Some(frame) => frame,
            None => {
                let frame = self.new_frame(py)?;
                self.frame.get_or_init(|| frame)
            }
        };
        loop {
            let error = match code.run(Some(globals), Some(locals)) {
                Err(error) if error.is_instance_of::<PyNameError>(py) => error,
                result => return result,
            };
            // If a type variable or a relative has the missing name, it is added and then found.
            let name = error.value(py).getattr(intern!(py, "name"))?;
            let Ok(name) = name.cast_into::<PyString>() else { return Err(error) };
            match self.late(&name)? {
                Some(meant) if !globals.contains(&name)? => globals.set_item(name, meant)?,
                _ => return Err(error),
            }
        }
    }

    /// An expression can only use locals, globals and builtins. So the class's names come after
    /// those of the module in the globals, as for `typing.get_type_hints`.
    fn new_frame(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let globals = match self.class.as_ref().and_then(type_objects::own_dict) {
            Some(names) => names.copy()?,
            None => PyDict::new(py),
        };
        if let Some(class) = &self.class {
            let name = class.name()?;
            if !globals.contains(&name)? {
                globals.set_item(name, class)?;
            }
        }
        let variables = self.variables(intern!(py, "__type_params__"));
        let locals = match (&self.module, &self.namespace) {
            (module, namespace) if variables.is_some() => {
                let all = module.as_ref().map_or_else(|| Ok(PyDict::new(py)), |it| it.copy())?;
                for variable in variables.iter().flatten() {
                    all.set_item(variable.getattr(intern!(py, "__name__"))?, variable)?;
                }
                if let Some(namespace) = namespace {
                    all.update(namespace.as_mapping())?;
                }
                all
            }
            (Some(module), None) => module.clone(),
            (None, Some(namespace)) => namespace.clone(),
            (Some(module), Some(namespace)) => {
                let both = module.copy()?;
                both.update(namespace.as_mapping())?;
                both
            }
            (None, None) => PyDict::new(py),
        };
        Ok((globals, locals))
    }
}

/// Where a class is defined: its module, and the part of its qualified name before its own name.
fn home(class: &Bound<'_, PyType>) -> PyResult<(String, String)> {
    let path = class.qualname()?.to_string();
    let around = path.rsplit_once('.').map_or("", |(around, _)| around);
    Ok((class.module()?.to_string(), around.to_owned()))
}

/// The names of a module, if it was imported. This allocates nothing.
fn module_names<'py>(module: &Bound<'py, PyString>) -> Option<Bound<'py, PyDict>> {
    let names = imported(module)?.getattr(intern!(module.py(), "__dict__")).ok()?;
    names.cast_into().ok()
}

/// True if an object is this name. Names are interned, so comparing addresses is nearly always
/// enough.
pub(in crate::plan) fn same_name(name: &Bound<'_, PyString>, object: &Bound<'_, PyAny>) -> bool {
    name.is(object)
        || object.cast::<PyString>().is_ok_and(|text| text.as_any().eq(name).unwrap_or(false))
}

fn is_one_name(source: &str) -> bool {
    !source.starts_with(|c: char| c.is_ascii_digit())
        && !source.is_empty()
        && source.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
