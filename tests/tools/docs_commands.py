"""The pages under docs/ keep their word: their commands run, and print what the page shows.

A block ```sh is run by bash in the page's own scratch folder, where `heft` is on PATH and tools/ and bench/ lie as in
the repository; the blocks of a page run in order. It must exit with 0, or with N if it ends in "# exit code N". A block
```text is what the block before it prints: words as they stand, numbers to 5 %, a line ".." for lines left out.
"""

import os
import pathlib
import re
import subprocess

from heft_program import PROGRAM, SOURCE, HeftTestCase

DOCS = SOURCE / "docs"
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")
SAME = 0.05  # relative: instruction sets round differently, and what is left after a fit shows it
NOTHING = 1e-6  # gaps and the like are rounding noise below


def blocks_of(page):
    """(language, text) of the fenced blocks of a page, in order."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def words_and_numbers(line):
    numbers = [float(number) for number in NUMBER.findall(line)]
    return NUMBER.sub("#", " ".join(line.split())), numbers


def is_printed(line, output):
    """Whether a line of `output` equals `line`, up to blanks and the last digits of its numbers."""
    words, numbers = words_and_numbers(line)
    for printed in output.splitlines():
        other_words, others = words_and_numbers(printed)
        if words == other_words and all(abs(a - b) <= max(SAME * abs(a), NOTHING) for a, b in zip(numbers, others)):
            return True
    return False


class DocsPages(HeftTestCase):
    def run_page(self, name):
        program = self.scratch / "bin"
        program.mkdir()
        (program / "heft").symlink_to(pathlib.Path(PROGRAM).resolve())
        folder = self.scratch / "checkout"
        folder.mkdir()
        for part in ("tools", "bench"):
            (folder / part).symlink_to(SOURCE / part)
        environment = {**os.environ, "PATH": f"{program}:{os.environ['PATH']}"}
        blocks = blocks_of(DOCS / name)
        commands = [text for language, text in blocks if language == "sh"]
        self.assertTrue(commands, f"{name} has no commands")
        output = ""
        for language, text in blocks:
            if language == "sh":
                expected = re.search(r"# exit code (\d+)\s*$", text)
                done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", text], cwd=folder, env=environment,
                                      timeout=240, capture_output=True, encoding="utf-8", errors="backslashreplace")
                output = done.stdout + done.stderr
                self.assertEqual(done.returncode, int(expected.group(1)) if expected else 0, f"{text}\n{output}")
                self.assert_no_crash(output)
            elif language == "text":
                for line in text.splitlines():
                    if line.strip() not in ("", ".."):
                        self.assertTrue(is_printed(line, output), f"{name} shows: {line}\nprinted:\n{output}")

    def test_first_robot(self):
        self.run_page("first-robot.md")

    def test_your_own_robot(self):
        self.run_page("your-own-robot.md")

    def test_doubts(self):
        self.run_page("doubts.md")

    def test_gallery(self):
        self.run_page("gallery.md")

    def test_legged(self):
        self.run_page("legged.md")

    def test_logs(self):
        self.run_page("logs.md")

    def test_robot_logs(self):
        self.run_page("robot-logs.md")

    def test_charts(self):
        self.run_page("charts.md")

    def test_constraints(self):
        self.run_page("constraints.md")

    def test_excitation(self):
        self.run_page("excitation.md")

    def test_filters(self):
        self.run_page("filters.md")

    def test_fleet(self):
        self.run_page("fleet.md")

    def test_moments(self):
        self.run_page("moments.md")

    def test_payload(self):
        self.run_page("payload.md")

    def test_report(self):
        self.run_page("report.md")

    def test_mathematics(self):
        self.run_page("mathematics.md")

    def test_troubleshooting(self):
        self.run_page("troubleshooting.md")

    def test_watch(self):
        self.run_page("watch.md")

    def test_index(self):
        self.run_page("README.md")

    def test_no_page_with_commands_is_left_out(self):
        pages = {page.name for page in DOCS.glob("*.md")
                 if any(language == "sh" for language, _ in blocks_of(page))}
        text = pathlib.Path(__file__).read_text()
        of_python = "".join(test.read_text() for test in (SOURCE / "python" / "tests").glob("test_*.py"))
        self.assertEqual({page for page in pages if f'run_page("{page}")' not in text and f'"{page}"' not in of_python}, set())

    def test_links_lead_to_files(self):
        for page in [*DOCS.rglob("*.md"), SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", SOURCE / "packaging" / "RELEASE.md"]:
            prose = re.sub(r"^(```.*?^```|    .*?$)", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)  # no code: lambdas
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose):
                if "://" not in target:
                    self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")

    def test_the_index_names_every_page(self):
        index = (DOCS / "README.md").read_text()
        self.assertEqual([page.name for page in sorted(DOCS.glob("*.md")) if f"]({page.name})" not in index and page.name != "README.md"],
                         [])

    def test_the_readme_shows_python_of_the_guide(self):
        """The blocks of the guide, which python/tests/test_docs.py runs, include that of the README."""
        guide = (DOCS / "python.md").read_text()
        blocks = [text for language, text in blocks_of(SOURCE / "README.md") if language == "python"]
        self.assertEqual(len(blocks), 1)
        self.assertIn("```python\n" + blocks[0], guide)
