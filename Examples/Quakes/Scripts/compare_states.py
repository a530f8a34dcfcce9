#!/usr/bin/env python3
"""Compares the line that ONCE=1 prints with an independent comparison of the feed's states.

    quakes --once | Scripts/compare_states.py          reads the line from the standard input
    Scripts/compare_states.py --expected               prints what the line has to say

Its own reading of the recorded week, its own idea of the feed at an instant: nothing is shared with the program.
"""

import json
import pathlib
import sys

DAY = 24 * 3600 * 1000
WINDOW = 7 * DAY
REPLAYED = 2 * DAY

DATA = pathlib.Path(__file__).resolve().parent.parent / "Data"


def recorded():
    return json.loads((DATA / "usgs-all-week-2018-02-07.geojson").read_bytes())["features"]


def revisions():
    return json.loads((DATA / "revisions.json").read_text())["revisions"]


def state(features, now):
    """The feed at an instant: what a row is made of, by its code."""
    result = {}
    for feature in features:
        properties, coordinates = feature["properties"], feature["geometry"]["coordinates"]
        if now - WINDOW < properties["time"] <= now:
            result[properties["code"]] = (
                properties["mag"], properties["time"], properties["place"], coordinates[0], coordinates[1])
    for revision in sorted(revisions(), key=lambda revision: revision["at"]):
        if revision["at"] <= now and revision["code"] in result:
            result[revision["code"]] = (revision["magnitude"],) + result[revision["code"]][1:]
    return result


def round_of(store, feed):
    """What a sync does to the store, and the counts of it."""
    counts = {
        "inserted": sum(code not in store for code in feed),
        "updated": sum(code in store and store[code] != row for code, row in feed.items()),
        "unchanged": sum(code in store and store[code] == row for code, row in feed.items()),
    }
    # What has left the feed stays in the store.
    return store | feed, counts


def expected():
    features = recorded()
    end = max(feature["properties"]["time"] for feature in features)
    early, late = state(features, end - REPLAYED), state(features, end)
    store, first = round_of({}, early)
    store, second = round_of(store, early)
    store, third = round_of(store, late)
    return {
        "fetched": len(late), "first": first, "second": second, "third": third,
        "offline": {"count": len(store), "largest": max(row[0] for row in store.values())},
    }, store


def main():
    wanted, _ = expected()
    if sys.argv[1:] == ["--expected"]:
        print(json.dumps(wanted))
        return
    lines = [line for line in sys.stdin.read().splitlines() if line.strip()]
    if not lines:
        sys.exit("No line came from the program.")
    told = json.loads(lines[-1])
    path = told.pop("store", None)
    if not path or not pathlib.Path(path).is_file():
        sys.exit(f"The line names no store that exists: {path!r}")
    if told != wanted:
        sys.exit(f"The program says\n  {json.dumps(told)}\nand the feed's states say\n  {json.dumps(wanted)}")
    print(f"The counts are those of the feed's states: {json.dumps(wanted)}")


if __name__ == "__main__":
    main()
