"""What is said of documentation that has lost something on its way."""
import json
import pathlib
import sys
import tempfile
import unittest

from fixtures import ROOT

sys.path.insert(0, str(ROOT / "Scripts" / "symbols"))

import pages  # noqa: E402


class LostPagesTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.catalogue = self.root / "Sources" / "Kettle" / "Kettle.docc"
        self.catalogue.mkdir(parents=True)
        for name in ("Kettle", "Boiling"):
            (self.catalogue / f"{name}.md").write_text("# A title\n\nA sentence.\n")
        self.archive = self.root / "kettle.doccarchive"
        self.write("documentation/kettle", {"kind": "symbol"})
        self.write("documentation/kettle/boiling", {"kind": "article"})
        self.front("Water becomes hot.")

    def write(self, name, content):
        page = self.archive / "data" / f"{name}.json"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(json.dumps(content))

    def front(self, abstract, linked=True):
        self.write("documentation", {
            "references": {"doc:Kettle": {
                "url": "/documentation/kettle", "abstract": [{"type": "text", "text": abstract}] if abstract else []}},
            "topicSections": [{"identifiers": ["doc:Kettle"] if linked else []}]})

    def lost(self):
        return pages.lost(self.archive, [self.catalogue])

    def test_nothing_is_lost(self):
        self.assertEqual(self.lost(), [])

    def test_a_module_without_a_page(self):
        (self.archive / "data/documentation/kettle.json").unlink()
        self.assertEqual(self.lost(), ["Kettle has no page"])

    def test_an_article_without_a_page(self):
        (self.archive / "data/documentation/kettle/boiling.json").unlink()
        self.assertRegex(self.lost()[0], "Boiling.md has no page")

    def test_an_article_whose_place_a_symbol_has(self):
        self.write("documentation/kettle/boiling", {"kind": "symbol"})
        self.assertRegex(self.lost()[0], "Boiling.md has no page")

    def test_a_front_page_without_the_module_or_a_word_of_it(self):
        self.front("", linked=True)
        self.assertRegex(self.lost()[0], "says nothing of Kettle")
        self.front("Water becomes hot.", linked=False)
        self.assertEqual(self.lost(), ["the front page does not name Kettle"])

    def test_the_front_page_gets_its_sentence(self):
        self.assertEqual(pages.main([str(self.archive), str(self.catalogue)]), 0)
        front = pages.read(self.archive / "data" / "documentation.json")
        self.assertEqual(pages.text(front["abstract"]), pages.SENTENCE)


if __name__ == "__main__":
    unittest.main()
