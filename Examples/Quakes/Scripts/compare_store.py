#!/usr/bin/env python3
"""Compares every column of every row of a store, read by SQLite's own library, with the feed.

    Scripts/compare_store.py STORE       a store that has seen the replay to its end

The table is the model's, as Documentation/store-format.md tells; columns of the store's own begin with larder_.
"""

import pathlib
import sqlite3
import sys

from compare_states import expected

# Between 1970, from which the feed counts, and 2001, from which a stored date does.
REFERENCE_DATE = 978307200.0
COLUMNS = {
    "code": "TEXT", "magnitude": "REAL", "time": "REAL", "location_name": "TEXT", "location_longitude": "REAL",
    "location_latitude": "REAL",
}
OWN_PREFIX = "larder_"


def rows(path):
    store = sqlite3.connect(f"file:{pathlib.Path(path).resolve()}?mode=ro", uri=True)
    try:
        present = {name: kind for _, name, kind, *_ in store.execute('PRAGMA table_info("Quake")')}
        models = {name: kind for name, kind in present.items() if not name.startswith(OWN_PREFIX)}
        if models != COLUMNS:
            sys.exit(f"The table Quake has the columns {models}, and not {COLUMNS}")
        verdict = store.execute("PRAGMA integrity_check").fetchone()[0]
        if verdict != "ok":
            sys.exit(f"The store is damaged: {verdict}")
        columns = ", ".join(COLUMNS)
        types = ", ".join(f"typeof({name})" for name in COLUMNS)
        return store.execute(f'SELECT {columns}, {types} FROM "Quake"').fetchall()
    finally:
        store.close()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    _, feed = expected()
    wanted = {
        code: (code, float(magnitude), time / 1000.0 - REFERENCE_DATE, place, float(longitude), float(latitude))
        for code, (magnitude, time, place, longitude, latitude) in feed.items()
    }
    kinds = tuple(kind.lower() for kind in COLUMNS.values())
    stored = {}
    for row in rows(sys.argv[1]):
        values, types = row[:len(COLUMNS)], row[len(COLUMNS):]
        if types != kinds:
            sys.exit(f"The row {values[0]} has values of the kinds {types}")
        if values[0] in stored:
            sys.exit(f"The code {values[0]} is there twice")
        stored[values[0]] = values
    for code in sorted(wanted.keys() | stored.keys()):
        if wanted.get(code) != stored.get(code):
            sys.exit(f"{code}\n  in the feed:  {wanted.get(code)}\n  in the store: {stored.get(code)}")
    print(f"{len(stored)} rows with {len(COLUMNS)} columns each equal the feed.")


if __name__ == "__main__":
    main()
