"""docs/site names broken links and anchors, and stages pages as MkDocs reads them."""

import sys

from heft_program import SOURCE, HeftTestCase

sys.path.insert(0, str(SOURCE / "docs" / "site"))
import check_links  # noqa: E402
import stage  # noqa: E402


class SiteLinks(HeftTestCase):
    def page(self, name, body):
        (self.scratch / name).parent.mkdir(parents=True, exist_ok=True)
        self.write(name, f"<html><body>{body}</body></html>")

    def test_broken_links_and_anchors_are_named(self):
        self.page("a.html", '<h1 id="top">A</h1><a href="b/c.html#here">1</a><a href="#top">2</a><a href="https://example.org/x">3</a>')
        self.page("b/c.html", '<p id="here"></p><a href="../a.html#gone">4</a><img src="../missing.png"><a href="../a.html">5</a>')
        self.assertEqual(check_links.broken_links(self.scratch),
                         ["b/c.html: ../a.html#gone is not an anchor of the page", "b/c.html: ../missing.png does not exist"])

    def test_lists_and_tables_get_a_blank_line(self):
        self.assertEqual(stage.with_blank_lines("text:\n- one\n- two\nand\n| a |\n|---|\n```\nx\n- no list\n```"),
                         "text:\n\n- one\n- two\nand\n\n| a |\n|---|\n```\nx\n- no list\n```\n")

    def test_links_to_code_become_names(self):
        root, folder = self.scratch / "root", self.scratch / "staged"
        for name, text in (("README.md", "[page](pages/x.md#a) [code](main.cpp) [web](https://example.org)\n"), ("pages/x.md", "# A\n"),
                           ("main.cpp", "int main() {}\n")):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        stage.Stage(root, folder).add(root / "README.md")
        self.assertEqual((folder / "README.md").read_text(), "[page](pages/x.md#a) code [web](https://example.org)\n")
        self.assertTrue((folder / "pages" / "x.md").exists())
