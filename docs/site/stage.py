"""The pages of the repository as MkDocs takes them: every page that a link reaches, and its figures, at their places."""
import pathlib
import re
import shutil

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)?(#[^)\s]*)?\)")
ITEM = re.compile(r"\s*([-*]|\d+\.) ")
FIRST_PAGE, INDEX = "README.md", "docs/README.md"


def lines_of(text):
    """(line, whether it is code) of a page."""
    fenced = False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        yield line, fenced or fence or line.startswith("    ")
        fenced ^= fence


def with_blank_lines(text):
    """Python-Markdown starts lists and tables only after a blank line, GitHub anywhere."""
    out, before = [], ""
    for line, is_code in lines_of(text):
        starts_list = ITEM.match(line) and not ITEM.match(before) and not before.startswith(" ")
        starts_table = line.startswith("|") and not before.startswith("|")
        if not is_code and before.strip() and (starts_list or starts_table):
            out.append("")
        out.append(re.sub(r"^( {2,3})(?=\S)", "    ", line) if not is_code and ITEM.match(line) else line)
        before = line
    return "\n".join(out) + "\n"


class Stage:
    def __init__(self, root, folder):
        self.root, self.folder, self.done = root, folder, set()

    def target(self, page, link):
        """Path in the repository, of a link of a page; None: elsewhere."""
        if "://" in link or link.startswith("mailto:"):
            return None
        path = (page.parent / link).resolve()
        if path.is_dir() and (path / "README.md").exists():
            path = path / "README.md"
        return path

    def rewritten(self, page, match):
        """Links to pages and figures stay; of other files of the repository the site shows the name."""
        mark, words, link, anchor = match.groups()
        path = self.target(page, link) if link else page
        if path is None or path == page:
            return match[0]
        if not path.exists():
            raise SystemExit(f"{page.relative_to(self.root)}: there is no {link}")
        if path.suffix not in (".md", ".png", ".svg"):
            return words
        self.add(path)
        up = "/".join([".."] * len(page.parent.relative_to(self.root).parts))
        return f"{mark}[{words}]({f'{up}/' if up else ''}{path.relative_to(self.root)}{anchor or ''})"

    def add(self, path):
        place = self.folder / path.relative_to(self.root)
        if path in self.done:
            return
        self.done.add(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copy(path, place)
            return
        lines = [line if is_code else LINK.sub(lambda match: self.rewritten(path, match), line)
                 for line, is_code in lines_of(path.read_text())]
        place.write_text(with_blank_lines("\n".join(lines)))


def sections(index):
    """{heading: [{title: page}]} of the tables of docs/README.md."""
    found = {}
    for line in index.read_text().splitlines():
        if line.startswith("## "):
            found[line[3:]] = []
        elif match := re.match(r"\| \[([^\]]+)\]\(([^)]+)\) \|", line):
            list(found.values())[-1].append({match[1]: "docs/" + match[2]})
    return found


def pages(root, folder):
    """Stages all pages; returns the navigation."""
    stage = Stage(root, folder)
    for name in (FIRST_PAGE, INDEX, "CONTRIBUTING.md", "CHANGELOG.md"):
        stage.add(root / name)
    navigation = [{"Heft": FIRST_PAGE}] + [{title: pages} for title, pages in sections(root / INDEX).items()]
    navigation[0] = {"Start": [{"Heft": FIRST_PAGE}, {"All pages": INDEX}]}
    modules = sorted(f"docs/modules/{path.name}" for path in (root / "docs" / "modules").glob("*.md") if path.name != FIRST_PAGE)
    navigation.append({"Development": [{"Contributing": "CONTRIBUTING.md"}, {"Modules": modules}, {"Changes": "CHANGELOG.md"}]})
    return navigation
