#!/usr/bin/env python3
"""Looks whether joined documentation has a page for each module and each article, and a sentence for each on its front page.

pages.py ARCHIVE CATALOGUE…

Writes the front page's own sentence. Ends with status 1, and names what is lost, if anything is.
"""
import json
import pathlib
import sys

SENTENCE = "SwiftData for Linux, and what a program around it needs: live queries, JSON ingest, an HTTP client, secrets."


def read(page):
    return json.loads(page.read_text(encoding="utf-8"))


def text(inline):
    return "".join(part.get("text", part.get("code", "")) for part in inline or [])


def lost(archive, catalogues):
    """What the catalogues have and the archive has not, a sentence each."""
    pages = archive / "data" / "documentation"
    front = read(archive / "data" / "documentation.json")
    modules = {
        reference.get("url"): text(reference.get("abstract")) for reference in front["references"].values()}
    linked = {link for section in front.get("topicSections", []) for link in section["identifiers"]}
    shown = {reference["url"] for name, reference in front["references"].items() if name in linked}
    found = []
    for catalogue in catalogues:
        module = catalogue.parent.name
        url = f"/documentation/{module.lower()}"
        if not (pages / f"{module.lower()}.json").exists():
            found.append(f"{module} has no page")
            continue
        if url not in shown:
            found.append(f"the front page does not name {module}")
        elif not modules.get(url):
            found.append(f"the front page says nothing of {module}: its article needs a first sentence")
        for article in sorted(catalogue.glob("**/*.md")):
            if article.stem == module:
                continue
            page = pages / module.lower() / f"{article.stem.lower()}.json"
            if not page.exists() or read(page).get("kind") != "article":
                found.append(
                    f"{article} has no page: link it from the module's article, and name it as no symbol is named")
    return found


def main(arguments):
    archive, catalogues = pathlib.Path(arguments[0]), [pathlib.Path(name) for name in arguments[1:]]
    front = archive / "data" / "documentation.json"
    content = read(front)
    content["abstract"] = [{"type": "text", "text": SENTENCE}]
    front.write_text(json.dumps(content), encoding="utf-8")
    found = lost(archive, catalogues)
    for sentence in found:
        print(f"error: {sentence}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
