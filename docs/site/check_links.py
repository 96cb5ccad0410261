"""Links within a folder of HTML pages: files that do not exist, and anchors that no page has."""
import html.parser
import pathlib
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        self.links += [values[key] for key in ("href", "src") if values.get(key)]


def count_pages(folder):
    return len(list(folder.rglob("*.html")))


def broken_links(folder):
    folder = pathlib.Path(folder).resolve()
    pages = {path: Page(path.read_text(errors="replace")) for path in folder.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        if path == folder / "404.html":  # its links are those of a server
            continue
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or not (parts.path or parts.fragment):
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                broken.append(f"{path.relative_to(folder)}: {link} does not exist")
            elif parts.fragment and target in pages and not has_anchor(pages[target], parts.fragment):
                broken.append(f"{path.relative_to(folder)}: {link} is not an anchor of the page")
    return broken


def has_anchor(page, fragment):
    return urllib.parse.unquote(fragment) in page.anchors or fragment in page.anchors or fragment.startswith("__")

