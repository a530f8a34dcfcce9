"""The index that the compiler writes in a debug build: where each symbol of the package is declared and used."""
import collections
import ctypes
import os
import pathlib
import shutil
import sys

DECLARATION, DEFINITION, IMPLICIT = 1 << 0, 1 << 1, 1 << 8


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


class Index:
    """Occurrences and relations of the symbols of the package's own files."""

    def __init__(self):
        self.occurrences = collections.defaultdict(list)  # symbol -> (file, line, column, roles)
        self.names = {}


def library():
    swift = pathlib.Path(shutil.which("swift") or sys.exit("index: swift is not on the path")).resolve()
    found = swift.parent.parent / "lib" / "libIndexStore.so"
    if not found.exists():
        sys.exit(f"index: {found} is not there")
    return ctypes.CDLL(str(found))


def read_index(root, built=None):
    """Reads the index of a clone's debug build; built names another clone of the same sources, in whose place it was built."""
    built = pathlib.Path(built or root).resolve()
    store = built / ".build" / "debug" / "index" / "store"
    lib = library()
    pointer, unsigned = ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint)
    each = ctypes.CFUNCTYPE(ctypes.c_bool, pointer, pointer)
    each_name = ctypes.CFUNCTYPE(ctypes.c_bool, pointer, Text)
    for name, result, arguments in [
        ("store_create", pointer, [ctypes.c_char_p, ctypes.POINTER(pointer)]),
        ("store_units_apply_f", ctypes.c_bool, [pointer, ctypes.c_uint, pointer, each_name]),
        ("unit_reader_create", pointer, [pointer, ctypes.c_char_p, ctypes.POINTER(pointer)]),
        ("unit_reader_dispose", None, [pointer]),
        ("unit_reader_get_main_file", Text, [pointer]),
        ("unit_reader_dependencies_apply_f", ctypes.c_bool, [pointer, pointer, each]),
        ("unit_dependency_get_kind", ctypes.c_int, [pointer]),
        ("unit_dependency_get_name", Text, [pointer]),
        ("unit_dependency_get_filepath", Text, [pointer]),
        ("record_reader_create", pointer, [pointer, ctypes.c_char_p, ctypes.POINTER(pointer)]),
        ("record_reader_dispose", None, [pointer]),
        ("record_reader_occurrences_apply_f", ctypes.c_bool, [pointer, pointer, each]),
        ("occurrence_get_symbol", pointer, [pointer]),
        ("occurrence_get_roles", ctypes.c_uint64, [pointer]),
        ("occurrence_get_line_col", None, [pointer, unsigned, unsigned]),
        ("symbol_get_usr", Text, [pointer]),
        ("symbol_get_name", Text, [pointer]),
    ]:
        function = getattr(lib, "indexstore_" + name)
        function.restype, function.argtypes = result, arguments
    error = pointer()
    opened = lib.indexstore_store_create(str(store).encode(), ctypes.byref(error))
    if not opened:
        sys.exit(f"index: there is no index in {store}. Run swift build --build-tests.")

    units = []
    lib.indexstore_store_units_apply_f(opened, 0, None, each_name(lambda _, name: units.append(str(name)) or True))
    # The newest record of each file.
    records = {}
    for unit in units:
        reader = lib.indexstore_unit_reader_create(opened, unit.encode(), ctypes.byref(error))
        if not reader:
            continue
        main = str(lib.indexstore_unit_reader_get_main_file(reader))
        if main.startswith(str(built)) and "/.build/" not in main:
            date = os.path.getmtime(store / "v5" / "units" / unit)

            def dependency(_, one):
                path = str(lib.indexstore_unit_dependency_get_filepath(one))
                if lib.indexstore_unit_dependency_get_kind(one) == 2 and path.startswith(str(built)) \
                        and "/.build/" not in path and os.path.exists(path):
                    if path not in records or records[path][1] < date:
                        records[path] = (str(lib.indexstore_unit_dependency_get_name(one)), date)
                return True

            lib.indexstore_unit_reader_dependencies_apply_f(reader, None, each(dependency))
        lib.indexstore_unit_reader_dispose(reader)

    index = Index()
    for path, (record, _) in records.items():
        reader = lib.indexstore_record_reader_create(opened, record.encode(), ctypes.byref(error))
        if not reader:
            continue
        file = str(pathlib.Path(path).relative_to(built))

        def occurrence(_, one):
            roles = lib.indexstore_occurrence_get_roles(one)
            symbol = lib.indexstore_occurrence_get_symbol(one)
            usr, name = str(lib.indexstore_symbol_get_usr(symbol)), str(lib.indexstore_symbol_get_name(symbol))
            line, column = ctypes.c_uint(), ctypes.c_uint()
            lib.indexstore_occurrence_get_line_col(one, ctypes.byref(line), ctypes.byref(column))
            index.names[usr] = name
            if not roles & IMPLICIT:
                index.occurrences[usr].append((file, line.value, column.value, roles))
            return True

        lib.indexstore_record_reader_occurrences_apply_f(reader, None, each(occurrence))
        lib.indexstore_record_reader_dispose(reader)
    return index
