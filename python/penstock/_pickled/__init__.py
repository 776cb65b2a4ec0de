"""The names of modules that pickles have: what they name is found here, wherever it stands.

A pickle names a module and a function in it, which makes the object again. So these names stay,
while the functions move: `penstock` looks for modules in this folder, too, and each module here has
what its pickles name. A function that pickles name from now on belongs into a public module.
"""
