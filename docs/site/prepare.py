"""Writes what Doxygen reads: prepare.py TREE WORK puts pages and public headers into WORK/input, other files that pages
link to into WORK/files, and their places into WORK/Doxyfile.d.

Pages are GitHub's Markdown, and headers are commented by // alone: here pages get the anchors that their links name,
and the comments before and behind a declaration get the marks that Doxygen looks for. What would be a command of
Doxygen is escaped.
"""

import os
import re
import shutil
import sys
from pathlib import Path

TREE = Path(sys.argv[1]).resolve()
WORK = Path(sys.argv[2]).resolve()
FIRST = ["README.md", "docs/start/bandit-in-python.md", "docs/start/two-companies.md",
         "docs/start/decision-service.md", "docs/guides/own-data.md", "docs/guides/running-roles.md",
         "docs/explain/privacy.md", "SECURITY.md", "docs/explain/bandit.md", "docs/explain/o3m.md",
         "docs/explain/robin.md", "docs/explain/p2b.md", "docs/guides/live.md", "docs/guides/live-operation.md",
         "docs/explain/differential-privacy.md"]


def pages():
    """README first, then as its table of pages has them, then all others."""
    found = {str(path.relative_to(TREE)) for pattern in ("*.md", "docs/*/*.md", "bench/results/*.md")
             for path in TREE.glob(pattern)}
    return [page for page in FIRST if page in found] + sorted(found - set(FIRST), key=lambda page: ("results" in page, page.count("/") == 0, page))


def name_of(page):
    path = Path(page)
    return ("results_" if path.parent.name == "results" else "page_") + re.sub(r"\W", "_", path.stem.lower())


def anchor_of(heading):
    """As GitHub makes it, so as the links have it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def label(page, anchor):
    return name_of(page) + "__" + re.sub(r"\W", "_", anchor)


def escaped(text):
    """Outside of `code`, what Doxygen would take for its own. Code with a ' is code to it between two `` only."""
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?<!\\)([\\@<>#%&])", r"\\\1", parts[i])
    for i in range(1, len(parts), 2):
        parts[i] = f"`{parts[i]}`" if "'" in parts[i] else parts[i]
    return "".join(parts)


class Page:
    def __init__(self, page, known):
        self.page, self.known, self.files = page, known, set()

    def target(self, link):
        file, _, anchor = link.partition("#")
        path = Path(self.page).parent / file if file else Path(self.page)
        path = Path(os.path.normpath(path))
        if str(path) in self.known:
            return "@ref " + (label(path, anchor) if anchor else name_of(path))
        if not (TREE / path).is_file():
            raise SystemExit(f"site: {self.page} links to {link}, which is not there")
        self.files.add(str(path))
        return "files/" + str(path)

    def line(self, line):
        held = []

        def link(match):
            text, target = match.group(1), match.group(2)
            outside = re.match(r"[a-z]+:", target)
            text = text.replace("`", "")  # Doxygen shows them as they are
            held.append(f"[{escaped(text)}]({target if outside else self.target(target)})")
            return f"\0{len(held) - 1}\0"

        line = re.sub(r"(?<!`)\[(`[^`]+`|[^]\[]+)\]\(([^) ]+)\)", link, line)
        return re.sub(r"\0(\d+)\0", lambda match: held[int(match.group(1))], escaped(line))

    def text(self):
        lines, first, taken = [], True, {}
        raw = (TREE / self.page).read_text()
        # Links and code that a line's end parts.
        raw = re.sub(r"\[([^]\[\n]+)\n *([^]\[\n]+)\]\(", r"[\1 \2](", raw)
        raw = re.sub(r"(?<![`\w])`([^`\n]+)\n([^`\n]+)`(?!`)", r"`\1 \2`", raw)
        for line in raw.split("\n"):
            heading = re.match(r"(#+) (.*)", line)
            if line.startswith("    ") and not re.match(r" +([-*]|\d+\.) ", line):
                lines.append(line)
            elif heading and first:
                lines.append(f"# {heading.group(2)} {{#{name_of(self.page)}}}")
                first = False
            elif heading:
                anchor = anchor_of(heading.group(2))
                again = taken[anchor] = taken.get(anchor, -1) + 1
                anchor += f"-{again}" if again else ""
                lines.append(f"{heading.group(1)} {escaped(heading.group(2))} {{#{label(self.page, anchor)}}}")
            else:
                lines.append(self.line(line))
        return "\n".join(lines)


OF_DECLARATIONS = re.compile(r"\s*(template\s*<.*>\s*)?(\[\[\w+\]\]\s*)?(inline )?(namespace|class|struct|union|enum|extern)\b[^()]*$", re.S)


def parted(line):
    """Code, // where there is a comment, and the comment."""
    match = re.match(r"((?:\"(?:\\.|[^\"\\])*\"|(?!//).)*)(//)?(.*)$", line)
    return match.group(1), match.group(2), match.group(3)


def header(path, text):
    """Marks the comments of a header. Inside of functions they are not for readers of the site."""
    out, scopes, pending = [], [], ""
    lines = text.split("\n")
    head = 0
    while head < len(lines) and lines[head].startswith("//"):
        head += 1
    out.append(f"/** @file sotto/{path}")
    for line in lines[:head]:
        said = re.match(r"// ([A-Z][A-Za-z, ]+[a-z])   *(\S.*)", line)  # "Rounds, bytes   2 rounds": a paragraph of its own
        if said:
            out += ["", f"**{said.group(1)}:** {escaped(said.group(2))}"]
        else:
            out.append(line[3:].strip() if re.match("//      {5,}[^ ]", line) and out[-1] and not out[-1].startswith("    ") else
                       line[3:] if line.startswith("//     ") else escaped(re.sub("^// ?", "", line)))
    out.append("*/")
    trailing = None
    for line in lines[head:]:
        code, mark, comment = parted(line)
        declares = all(scopes)
        if mark and declares and not code.strip():
            continues = trailing is not None and len(code) == trailing
            escape = comment if comment.startswith("     ") else escaped(comment)
            out.append(code + ("///<" if continues else "///") + escape)
            continue
        trailing = None
        if mark and declares and not code.strip().startswith(("}", "#")) and not code.rstrip().endswith("{"):
            trailing = len(code)
            line = code + "///<" + escaped(comment)
        out.append(line)
        if code.startswith("#"):
            continue
        pending += code + "\n"
        for i, sign in enumerate(re.sub(r"\"(\\.|[^\"\\])*\"|'.'", lambda text: "_" * len(text.group()), code)):
            if sign == "{":
                statement = re.split(r"[;{}]", pending[:len(pending) - len(code) - 1 + i])[-1]
                scopes.append(bool(OF_DECLARATIONS.match(statement)))
            elif sign == "}" and scopes:
                scopes.pop()
        pending = pending[-2000:]
    return "\n".join(out)


def main():
    known = pages()
    source, files = WORK / "input", WORK / "files"
    source.mkdir()
    inputs, linked = [], {"docs/who-sees-what.svg"}
    for page in known:
        made = Page(page, set(known))
        file = source / (name_of(page) + ".md")
        file.write_text(made.text())
        linked |= made.files
        inputs.append(str(file.relative_to(WORK)))
    for path in sorted(linked):
        (files / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TREE / path, files / path)
    for path in sorted((TREE / "include").rglob("*.h")):
        file = source / path.relative_to(TREE / "include")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(header(str(path.relative_to(TREE / "include/sotto")), path.read_text()))
        inputs.append(str(file.relative_to(WORK)))
    (WORK / "Doxyfile.d").write_text("INPUT = " + " \\\n  ".join(inputs) + "\n")


main()
