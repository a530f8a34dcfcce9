"""The Markdown of a report."""
from report import ORDER

HEAD = """# Conformance

What Apple's SwiftData makes public, in iOS 17 to 27 and the other systems of those years, and what of it is here. This
page is made by `Scripts/conformance` from the compiler's symbol graph of `LarderData` and the table
`Scripts/symbols/apple.tsv`; a test makes it again and compares. `since` is the iOS version.

A row's declaration is compared with ours: labels, types, defaults, constraints, throwing, isolation, whether it can be
set, and what a type conforms to. What a parameter is called inside, `convenience`, `mutating` and, of macros, the
arguments of their roles are not compared: they make no difference to a caller, or say how the macro is made.

| state | means |
|---|---|
| tested | There, and what it does is shown by the tests named. |
| compiled | There with the same declaration. |
| inert | There, so that code compiles; it has no effect outside Apple's systems. |
| left out | Needs SwiftUI, which exists on Apple's systems only. |
"""


def code(text):
    return "`` " + text + " ``" if "`" in text else f"`{text}`"


def cell(text):
    return text.replace("|", "\\|")


def summary(report):
    counts = report.counts()
    states = [state for state in ORDER if any(key[1] == state for key in counts)]
    groups = list(dict.fromkeys(row["group"] for row, _ in report.rows))
    lines = ["## In numbers", "", "| | " + " | ".join(states) + " |", "|---" * (len(states) + 1) + "|"]
    for group in groups:
        lines.append(f"| {group} | " + " | ".join(str(counts[group, state] or "") for state in states) + " |")
    totals = [sum(counts[group, state] for group in groups) for state in states]
    return lines + [f"| all {sum(totals)} | " + " | ".join(map(str, totals)) + " |", ""]


def symbols(report):
    lines, group, container = [], None, None
    for row, state in report.rows:
        if row["group"] != group:
            group, container = row["group"], None
            lines += ["", f"## {group}"]
        if row["in"] != container:
            container = row["in"]
            title = f"In `{container}`" if container else "In the module"
            lines += ["", f"{title}:", "", "| declaration | since | state |", "|---|---|---|"]
        shown = " by " + ", ".join(f"`{name}`" for name in row["shown by"].split(", ")) if state == "tested" else ""
        text = row["declaration"] if row["wanted"] == "N" else code(row["declaration"])
        lines.append(f"| {cell(text)} | {row['since']} | {state}{shown} |")
    return lines + [""]


def listed(symbol):
    return f"- {code(symbol.fragments)}"


def ours(report):
    lines = [
        "", "## Ours", "",
        "What is public and not Apple's. Nothing here changes what code that is right on Apple's systems means.", "",
        "### Overloads of Apple's names", "", "| in | declaration | why |", "|---|---|---|",
    ]
    for symbol, why in report.overloads:
        lines.append(f"| `{symbol.container}` | {cell(code(symbol.fragments))} | {why or 'no reason is given'} |")
    lines += ["", "### Additions to Apple's types", ""]
    for container, found in sorted(report.extensions.items()):
        lines += [f"In `{container}`:", ""] + [listed(symbol) for symbol in found] + [""]
    lines += ["### Conformances of Apple's types", "", "Beyond those that Apple's declarations state:", ""]
    lines += [f"- `{name}`: " + ", ".join(map(code, extra)) for name, extra in report.conformances.items()]
    lines += ["", "### Additions to types of Foundation and the standard library", ""]
    lines += [f"- `{name}`: " + ", ".join(dict.fromkeys(f"`{symbol.path[-1]}`" for symbol in found))
              for name, found in sorted(report.foreign.items())]
    lines += ["", "### Types and macros", "", "By the folder of `Sources/LarderData`, or the other module, that they are in:", ""]
    for folder, found in sorted(report.types.items()):
        lines.append(f"- {folder}: " + ", ".join(f"`{symbol.path[0]}`" for symbol in found))
    return lines + [
        "", "### Plumbing", "",
        "Names that begin with `_` are public for the code that the macros write, and may change with every release.",
    ]


def render(report):
    lines = HEAD.splitlines() + [""] + summary(report) + symbols(report) + ours(report)
    text = "\n".join(lines)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.rstrip() + "\n"
