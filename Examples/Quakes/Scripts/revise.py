#!/usr/bin/env python3
"""Invents the magnitudes that the replayed origin revises, by a fixed seed, and writes Data/revisions.json.

    Scripts/revise.py            writes the file
    Scripts/revise.py --check    fails if the committed file is not what this script writes
"""

import json
import pathlib
import random
import sys

SEED = 20180207
TWO_DAYS = 2 * 24 * 3600 * 1000
# Enough that one comes along every few steps of the replay.
REVISED_BEFORE_THE_CUT = 40
REVISED_AFTER_THE_CUT = 12

DATA = pathlib.Path(__file__).resolve().parent.parent / "Data"


def revisions():
    features = json.loads((DATA / "usgs-all-week-2018-02-07.geojson").read_bytes())["features"]
    features = sorted((feature["properties"] for feature in features), key=lambda p: (p["time"], p["code"]))
    end = features[-1]["time"]
    cut = end - TWO_DAYS
    dice = random.Random(SEED)
    chosen = dice.sample([p for p in features if p["time"] <= cut], REVISED_BEFORE_THE_CUT)
    # Not the very last ones: a revision comes after its record.
    chosen += dice.sample([p for p in features if cut < p["time"] < end - 3600 * 1000], REVISED_AFTER_THE_CUT)
    result = []
    for properties in chosen:
        change = dice.choice([-0.4, -0.3, -0.2, -0.1, 0.1, 0.2, 0.3, 0.4])
        earliest = max(cut, properties["time"]) + 60 * 1000
        result.append({
            "at": dice.randint(earliest, end),
            "code": properties["code"],
            "magnitude": round(properties["mag"] + change, 2),
        })
    return sorted(result, key=lambda revision: (revision["at"], revision["code"]))


def text():
    lines = ",\n".join("    " + json.dumps(revision) for revision in revisions())
    return '{\n  "seed": %d,\n  "revisions": [\n%s\n  ]\n}\n' % (SEED, lines)


if __name__ == "__main__":
    path = DATA / "revisions.json"
    if sys.argv[1:] == ["--check"]:
        if path.read_text() != text():
            sys.exit(f"{path.name} is not what revise.py writes: run Scripts/revise.py.")
        print(f"{path.name} is what revise.py writes.")
    else:
        path.write_text(text())
        print(f"wrote {path.name}")
