"""Declarations of Swift in a form in which two that mean the same to a caller are the same text."""
import re

# Neither changes what a caller writes or gets. `mutating` doesn't where what it is called on is a variable.
IGNORED_MODIFIERS = {"public", "open", "convenience", "required", "override", "weak", "mutating", "dynamic"}
# Those that say where code runs, and how a closure may be used.
KEPT_ATTRIBUTES = {"@MainActor", "@preconcurrency", "@Sendable", "@escaping", "@autoclosure"}
TYPES = {"class", "struct", "enum", "protocol", "actor"}
OPENING, CLOSING = "([{<", ")]}>"
COMPOSITIONS = {"Codable": ["Decodable", "Encodable"]}


def split(text, separator):
    """The parts of a text between separators that lie in no bracket."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        if text.startswith("->", at):
            at += 2
            continue
        if text[at] in OPENING:
            depth += 1
        elif text[at] in CLOSING:
            depth -= 1
        elif depth == 0 and text.startswith(separator, at):
            parts.append(text[start:at])
            at += len(separator)
            start = at
            continue
        at += 1
    return parts + [text[start:]]


def closing(text, start):
    """The place of the bracket that closes the one at `start`."""
    depth, at = 0, start
    while at < len(text):
        if text.startswith("->", at):
            at += 2
            continue
        depth += (text[at] in OPENING) - (text[at] in CLOSING)
        if depth == 0:
            return at
        at += 1
    raise ValueError(f"a bracket stays open: {text}")


def protocols(text):
    """The protocols of an inheritance clause or a constraint's right side."""
    names = []
    for part in re.split(r"[,&]", text):
        name = part.strip()
        if name:
            names += COMPOSITIONS.get(name, [name])
    return names


def constraints(text):
    """The requirements of a where clause, each by itself, in one order."""
    found = []
    for part in split(text, ","):
        if "==" in part:
            found.append("==".join(side.strip() for side in part.split("==")))
        elif ":" in part:
            subject, bound = part.split(":", 1)
            found += [f"{subject.strip()}:{name}" for name in protocols(bound)]
    return ",".join(sorted(set(found)))


def short(text):
    """Without blanks, backticks, modules and enclosing types; without the names inside the types of closures."""
    text = re.sub(r"`", "", text)
    text = re.sub(r"\b(?:[A-Z]\w*(?:<[^<>]*>)?\.)+(?=[A-Z])(?!Type\b|Protocol\b)", "", text)
    text = re.sub(r"\b__owned\b", "consuming", text)
    text = re.sub(r"_ \w+: ", "", text)
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r" ?([^\w@#.]) ?", r"\1", text)


def parameters(text, labelled):
    """Labels, types and defaults; what a parameter is called inside is nobody else's matter."""
    result = []
    for part in split(text, ","):
        if not part.strip():
            continue
        head, rest = part.split(":", 1)
        names = head.split()
        label = names[0] if labelled or len(names) > 1 else "_"
        result.append(f"{label}:{short(rest)}")
    return ",".join(result)


def attributes(text):
    """The attributes that stand before a declaration, by name, and the rest."""
    found = []
    text = text.strip()
    while match := re.match(r"@\w+", text):
        end = match.end()
        role = match.group()
        if text[end:end + 1] == "(":
            last = closing(text, end)
            role += "(" + re.match(r"\w*", text[end + 1:last].strip()).group() + ")"
            end = last + 1
        found.append(role)
        text = text[end:].strip()
    return found, text


class Declaration:
    """What a declaration says, taken apart."""

    def __init__(self, text):
        text = re.sub(r"\s+", " ", text).strip()
        found, text = attributes(text)
        self.inherits = []
        words = []
        while match := re.match(r"(nonisolated|final|static|class|consuming|indirect|\w+) (?=\w|`)", text):
            word = match.group(1)
            if word in IGNORED_MODIFIERS or (word == "final" and not re.match(r"final class", text)):
                text = text[match.end():]
            elif word == "class" and re.match(r"class (func|var|subscript)\b", text):
                words.append("static")
                text = text[match.end():]
            elif word in ("nonisolated", "static", "final", "indirect"):
                words.append(word)
                text = text[match.end():]
            else:
                break
        self.kind = re.match(r"\w+", text).group()
        if self.kind == "macro":
            words = sorted(found)
        else:
            words = [name for name in found if name in KEPT_ATTRIBUTES] + words
        body, where = (split(text, " where ") + [""])[:2]
        accessors = ""
        if body.endswith("}"):
            body, accessors = body[:body.rindex("{")].strip(), body[body.rindex("{"):]
        elif where.endswith("}"):
            where, accessors = where[:where.rindex("{")].strip(), where[where.rindex("{"):]
        if self.kind in TYPES or self.kind == "extension":
            head, *bases = split(body, ":")
            self.inherits = protocols(bases[0]) if bases else []
            body = head.strip()
        self.name = re.sub(r"`", "", re.match(r"\w+\??(?: ([^\s(:<]+|[<=~]+))?", body).group(1) or self.kind)
        self.where = constraints(where)
        self.text = " ".join(words + [self._signature(body, accessors)]) + (f" where {self.where}" if where else "")

    def _signature(self, body, accessors):
        if self.kind in ("func", "init", "subscript", "macro"):
            at = body.index("(", len("func <") if "func <" in body else 0)
            end = closing(body, at)
            labelled = self.kind != "subscript" and self.name[0] not in "=<>~"
            inside = parameters(body[at + 1:end], labelled)
            return f"{short(body[:at])}({inside}){short(body[end + 1:])}{short(accessors)}"
        if self.kind in ("var", "let"):
            return f"var {short(body[4:])}" + (short(accessors) or ("{get}" if self.kind == "let" else "{get set}"))
        return short(body)
