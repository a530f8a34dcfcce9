"""Swift's text as code, comments and the text of string literals."""
import re

_opening = re.compile(r'(#*)("""|")')


def pieces(text):
    """Returns (kind, text) in their order: "code", "comment" or "string". What is interpolated into a literal is code."""
    found = []
    # Of each literal that an interpolation belongs to: its delimiter, what begins an interpolation, and the open parentheses.
    literals = []
    start = place = 0

    def end(kind, to):
        nonlocal start
        if to > start:
            found.append((kind, text[start:to]))
        start = to

    def skip_string(delimiter, escape):
        """Goes on in a literal, to its end or to an interpolation."""
        nonlocal place
        while place < len(text):
            if text.startswith(escape + "(", place):
                place += len(escape) + 1
                literals.append([delimiter, escape, 0])
                break
            if text.startswith(escape, place):
                place += len(escape) + 1
            elif text.startswith(delimiter, place):
                place += len(delimiter)
                break
            else:
                place += 1
        end("string", place)

    while place < len(text):
        if text.startswith(("//", "/*"), place):
            end("code", place)
            closing = "\n" if text[place + 1] == "/" else "*/"
            to = text.find(closing, place)
            place = len(text) if to < 0 else to + (2 if closing == "*/" else 0)
            end("comment", place)
            continue
        opening = _opening.match(text, place)
        if opening:
            end("code", place)
            place = opening.end()
            skip_string(opening.group(2) + opening.group(1), "\\" + opening.group(1))
            continue
        if literals:
            if text[place] == "(":
                literals[-1][2] += 1
            elif text[place] == ")":
                if literals[-1][2] == 0:
                    end("code", place)
                    place += 1
                    delimiter, escape, _ = literals.pop()
                    skip_string(delimiter, escape)
                    continue
                literals[-1][2] -= 1
        place += 1
    end("code", place)
    return found
