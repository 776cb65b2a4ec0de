"""Print the folder of the library of the running interpreter, if a program can be linked to it."""

import sys
import sysconfig
from pathlib import Path

name = sysconfig.get_config_var("LDLIBRARY")
folders = [sysconfig.get_config_var("LIBDIR"), Path(sys.base_prefix, "lib")]
if name and name.endswith((".so", ".dylib")):
    found = [folder for folder in folders if folder and Path(folder, name).exists()]
    print(*found[:1])
