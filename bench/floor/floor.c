/* The floor: what it costs only to create the objects, with nothing read and nothing checked.
 *
 *   plan = prepare(cls, prototypes, shared)
 *   make(plan, count) -> list
 *   keyed(keys, values) -> dict
 *   copies(prototypes, count) -> list
 *
 * creates `count` instances of a slots class without calling it, and puts into every slot a newly created copy of the
 * value that the prototype (a tuple of values in slot order; a list of them, used in turn) has there. Prototypes are
 * int, float, str, list and dict of these, and None, True or False; anything else is stored as it is. `shared` is a tuple of slot indices whose value is stored as
 * it is instead: what a decoder reaches that recognises a repeated string. No decoder that makes these objects can be
 * faster, so the distance to it is what a decoder still spends. `keyed` puts such objects into a dict under newly
 * created copies of the keys. `copies` makes such values themselves; the keys of a dict are those of its prototype, as
 * a decoder reaches that recognises them. The collector's state is the caller's business. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <string.h>

#define PLAN "bench.floor.plan"

typedef enum { AS_IS, INTEGER, REAL, TEXT, SEQUENCE, MAPPING } Kind;

/* A value as it will be made: numbers unpacked, so that reading the prototype costs nothing. */
typedef struct {
    Kind kind;
    union {
        long long integer;
        double real;
        PyObject *object; /* borrowed from the plan's prototypes */
    };
} Recipe;

typedef struct {
    PyTypeObject *type;
    PyObject *prototypes;
    Py_ssize_t slots, kinds;
    Py_ssize_t *offset;
    Recipe *recipes; /* slots of the first prototype, then of the second, ... */
} Plan;

static Recipe recipe_for(PyObject *prototype, int shared) {
    Recipe recipe = {.kind = AS_IS, .object = prototype};
    if (shared) return recipe;
    if (PyLong_CheckExact(prototype)) {
        int overflow;
        long long value = PyLong_AsLongLongAndOverflow(prototype, &overflow);
        if (!overflow) recipe = (Recipe){.kind = INTEGER, .integer = value};
    } else if (PyFloat_CheckExact(prototype)) {
        recipe = (Recipe){.kind = REAL, .real = PyFloat_AS_DOUBLE(prototype)};
    } else if (PyUnicode_CheckExact(prototype)) {
        recipe.kind = TEXT;
    } else if (PyList_CheckExact(prototype)) {
        recipe.kind = SEQUENCE;
    } else if (PyDict_CheckExact(prototype)) {
        recipe.kind = MAPPING;
    }
    return recipe;
}

static PyObject *copy_text(PyObject *text) {
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    PyObject *copy = PyUnicode_New(length, PyUnicode_MAX_CHAR_VALUE(text));
    if (copy && length)
        memcpy(PyUnicode_DATA(copy), PyUnicode_DATA(text), (size_t)length * PyUnicode_KIND(text));
    return copy;
}

static PyObject *cook(Recipe recipe) {
    switch (recipe.kind) {
    case INTEGER: return PyLong_FromLongLong(recipe.integer);
    case REAL: return PyFloat_FromDouble(recipe.real);
    case TEXT: return copy_text(recipe.object);
    case SEQUENCE: {
        Py_ssize_t length = PyList_GET_SIZE(recipe.object);
        PyObject *list = PyList_New(length);
        for (Py_ssize_t i = 0; list && i < length; i++) {
            PyObject *item = cook(recipe_for(PyList_GET_ITEM(recipe.object, i), 0));
            if (item) PyList_SET_ITEM(list, i, item);
            else Py_CLEAR(list);
        }
        return list;
    }
    case MAPPING: {
        PyObject *dict = PyDict_Copy(recipe.object), *key, *value;
        Py_ssize_t place = 0;
        while (dict && PyDict_Next(recipe.object, &place, &key, &value)) {
            PyObject *made = cook(recipe_for(value, 0));
            if (!made || PyDict_SetItem(dict, key, made) < 0) Py_CLEAR(dict);
            Py_XDECREF(made);
        }
        return dict;
    }
    case AS_IS: break;
    }
    Py_INCREF(recipe.object);
    return recipe.object;
}

static void release(Plan *plan) {
    Py_XDECREF(plan->type);
    Py_XDECREF(plan->prototypes);
    PyMem_Free(plan->offset);
    PyMem_Free(plan->recipes);
    PyMem_Free(plan);
}

static void release_capsule(PyObject *capsule) { release(PyCapsule_GetPointer(capsule, PLAN)); }

/* Finds where the class keeps the slots; sets an exception and returns -1 for a class that this cannot fill. */
static int find_slots(Plan *plan, PyObject *names) {
    for (Py_ssize_t i = 0; i < plan->slots; i++) {
        PyObject *descriptor = PyObject_GetAttr((PyObject *)plan->type, PyTuple_GET_ITEM(names, i));
        if (!descriptor) return -1;
        PyMemberDef *member = Py_TYPE(descriptor) == &PyMemberDescr_Type
                                  ? ((PyMemberDescrObject *)descriptor)->d_member
                                  : NULL;
        if (member && member->type == T_OBJECT_EX) plan->offset[i] = member->offset;
        else PyErr_Format(PyExc_TypeError, "%R is not a slot", PyTuple_GET_ITEM(names, i));
        Py_DECREF(descriptor);
        if (PyErr_Occurred()) return -1;
    }
    return 0;
}

static int write_recipes(Plan *plan, PyObject *shared) {
    for (Py_ssize_t kind = 0; kind < plan->kinds; kind++) {
        PyObject *row = PyList_GET_ITEM(plan->prototypes, kind);
        if (!PyTuple_CheckExact(row) || PyTuple_GET_SIZE(row) != plan->slots) {
            PyErr_Format(PyExc_TypeError, "a prototype is a tuple of %zd values", plan->slots);
            return -1;
        }
        for (Py_ssize_t i = 0; i < plan->slots; i++) {
            PyObject *index = PyLong_FromSsize_t(i);
            int is_shared = index ? PySequence_Contains(shared, index) : -1;
            Py_XDECREF(index);
            if (is_shared < 0) return -1;
            plan->recipes[kind * plan->slots + i] = recipe_for(PyTuple_GET_ITEM(row, i), is_shared);
        }
    }
    return 0;
}

static PyObject *prepare(PyObject *module, PyObject *args) {
    PyObject *cls, *prototypes, *shared;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O!", &PyType_Type, &cls, &PyList_Type, &prototypes, &PyTuple_Type,
                          &shared))
        return NULL;
    PyObject *names = PyObject_GetAttrString(cls, "__slots__");
    if (!names) return NULL;
    if (!PyTuple_Check(names) || !PyList_GET_SIZE(prototypes)) {
        Py_DECREF(names);
        PyErr_SetString(PyExc_TypeError, "prepare() needs a tuple of __slots__ and a prototype");
        return NULL;
    }
    PyObject *capsule = NULL;
    Plan *plan = PyMem_Calloc(1, sizeof *plan);
    if (!plan) goto out_of_memory;
    Py_INCREF(cls);
    plan->type = (PyTypeObject *)cls;
    plan->prototypes = PyList_GetSlice(prototypes, 0, PyList_GET_SIZE(prototypes));
    if (!plan->prototypes) goto failed;
    plan->slots = PyTuple_GET_SIZE(names);
    plan->kinds = PyList_GET_SIZE(plan->prototypes);
    plan->offset = PyMem_Calloc((size_t)plan->slots, sizeof *plan->offset);
    plan->recipes = PyMem_Calloc((size_t)(plan->slots * plan->kinds), sizeof *plan->recipes);
    if (!plan->offset || !plan->recipes) goto out_of_memory;
    if (find_slots(plan, names) < 0 || write_recipes(plan, shared) < 0) goto failed;
    capsule = PyCapsule_New(plan, PLAN, release_capsule);
    if (capsule) {
        Py_DECREF(names);
        return capsule;
    }
    goto failed;
out_of_memory:
    PyErr_NoMemory();
failed:
    Py_DECREF(names);
    if (plan) release(plan);
    return NULL;
}

static PyObject *make_one(const Plan *plan, const Recipe *recipes) {
    PyObject *object = plan->type->tp_alloc(plan->type, 0);
    if (!object) return NULL;
    for (Py_ssize_t i = 0; i < plan->slots; i++) {
        PyObject *value = cook(recipes[i]);
        if (!value) {
            Py_DECREF(object);
            return NULL;
        }
        *(PyObject **)((char *)object + plan->offset[i]) = value;
    }
    return object;
}

static PyObject *make(PyObject *module, PyObject *args) {
    PyObject *capsule;
    Py_ssize_t count;
    (void)module;
    if (!PyArg_ParseTuple(args, "On", &capsule, &count)) return NULL;
    const Plan *plan = PyCapsule_GetPointer(capsule, PLAN);
    if (!plan) return NULL;
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0, kind = 0; list && i < count; i++) {
        PyObject *object = make_one(plan, plan->recipes + kind * plan->slots);
        if (object) PyList_SET_ITEM(list, i, object);
        else Py_CLEAR(list);
        if (++kind == plan->kinds) kind = 0;
    }
    return list;
}

static PyObject *keyed(PyObject *module, PyObject *args) {
    PyObject *keys, *values;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &keys, &PyList_Type, &values)) return NULL;
    PyObject *mapping = PyDict_New();
    for (Py_ssize_t i = 0; mapping && i < PyList_GET_SIZE(values) && i < PyList_GET_SIZE(keys); i++) {
        PyObject *key = cook(recipe_for(PyList_GET_ITEM(keys, i), 0));
        if (!key || PyDict_SetItem(mapping, key, PyList_GET_ITEM(values, i)) < 0) Py_CLEAR(mapping);
        Py_XDECREF(key);
    }
    return mapping;
}

static PyObject *copies(PyObject *module, PyObject *args) {
    PyObject *prototypes;
    Py_ssize_t count;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!n", &PyList_Type, &prototypes, &count)) return NULL;
    Py_ssize_t kinds = PyList_GET_SIZE(prototypes);
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0, kind = 0; list && i < count; i++) {
        PyObject *object = kind < kinds ? cook(recipe_for(PyList_GET_ITEM(prototypes, kind), 0)) : NULL;
        if (object) PyList_SET_ITEM(list, i, object);
        else Py_CLEAR(list);
        if (++kind == kinds) kind = 0;
    }
    if (!list && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "copies() needs a prototype");
    return list;
}

static PyMethodDef methods[] = {
    {"prepare", prepare, METH_VARARGS, "prepare(cls, prototypes, shared): look the slots up once."},
    {"make", make, METH_VARARGS, "make(plan, count): create objects, read nothing."},
    {"keyed", keyed, METH_VARARGS, "keyed(keys, values): a dict of the values under new keys."},
    {"copies", copies, METH_VARARGS, "copies(prototypes, count): copies of plain values."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "floor", "What it costs only to create the objects.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_floor(void) { return PyModule_Create(&definition); }
