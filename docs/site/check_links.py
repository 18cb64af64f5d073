"""check_links.py SITE fails where a page of the site links to a page, a file or an anchor that is not there."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Doxygen lists friends and private types of a class that its page then does not show.
OF_DOXYGEN = re.compile(r"nested-classes$|a[0-9a-f]{32}$")
SITE = Path(sys.argv[1]).resolve()


class Page(HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.names, self.links = set(), []
        self.feed(file.read_text(errors="replace"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.names |= {values[key] for key in ("id", "name") if values.get(key)}
        self.links += [values[key] for key in ("href", "src") if values.get(key)]


pages = {file: Page(file) for file in SITE.rglob("*.html")}
faults = []
for file, page in pages.items():
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or link.startswith(("javascript", "//")):
            continue
        target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        if not target.exists():
            faults.append(f"{file.relative_to(SITE)}: {link} is not there")
        elif OF_DOXYGEN.match(parts.fragment):
            continue
        elif parts.fragment and target in pages and parts.fragment not in pages[target].names:
            faults.append(f"{file.relative_to(SITE)}: {link} names no anchor")
if len(pages) < 20:
    faults.append(f"the site has only {len(pages)} pages")
print("\n".join(faults), file=sys.stderr)
sys.exit(1 if faults else 0)
