#!/usr/bin/env python3
"""Whether the tables of the docs that follow from headers are those that the headers give.

usage: reference_test.py [--update]

docs/glossary.md has every public type of core, protocols and net once, in the table of its layer, and no other; a term
or a type has one entry; headers do not use retired words. docs/protocols.md has every row of costs that a header of a
protocol states:

    // Costs           `mask` | 1 | 8 L | 0

--update renews the tables. That of types keeps what it says, gets the first sentence of a new type's comment, and loses
types that are gone; that of costs keeps its order, and a new row goes behind those of its folder.
"""
import re
import sys
from pathlib import Path

from layers_test import layer_of

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "docs/glossary.md"
PROTOCOLS = ROOT / "docs/protocols.md"
COSTS_HEAD = "| primitive | rounds | sent | dealt | header |\n|---|---|---|---|---|\n"
TYPE = re.compile(r"(class|struct|enum class|using) (?:\[\[nodiscard\]\] )?([A-Z][A-Za-z0-9]*)( .*)?$")

faults = []


def headers_of(layer):
    """{header: its text}"""
    texts = {header: header.read_text() for top in (layer, "include/sotto/protocol") for header in sorted((ROOT / top).rglob("*.h"))}
    return {header: text for header, text in texts.items() if layer_of(str(header.relative_to(ROOT)), text) == layer}


def types_of(headers):
    """{type: the first sentence about it}: class, struct, enum class and alias at the start of a line, outside of a
    namespace detail. The sentence is of the comment above it, else of the comment that the header begins with."""
    types = {}
    for text in headers.values():
        detail, head, comment, at_head = False, [], [], True
        for line in text.splitlines():
            if line.startswith("//"):
                comment.append(line[2:].strip())
                if at_head:
                    head.append(comment[-1])
                continue
            at_head = False
            named = TYPE.match(line)
            if line.startswith(("namespace detail", "}  // namespace detail")):
                detail = line.startswith("namespace")
            elif not detail and named and (named[1] == "using" or not re.match(r"[^{]*;$", named[3] or "")):
                about = re.sub(rf"^{named[2]}(<T>)?: ", "", " ".join(comment or head))
                types[named[2]] = re.sub(r"[.:]( .*|$)", "", about)
            if not line.startswith("template"):
                comment = []
    return dict(sorted(types.items()))


def read_glossary():
    """(entries, {layer: {type: what it says}}, {layer: retired words})."""
    section, entries, said, retired = "", [], {}, {}
    for line in GLOSSARY.read_text().splitlines():
        if line.startswith("##"):
            section = line.lstrip("#").strip()
        if section == "Terms":
            entries += re.findall(r"\*\*([^*]+)\*\*", line)
        elif section.startswith("Types of "):
            row = re.fullmatch(r"\| `(\w+)` \| (.*) \|", line)
            if row:
                entries.append(row[1])
                said.setdefault(section.removeprefix("Types of "), {})[row[1]] = row[2]
        elif section == "Retired words":
            row = re.fullmatch(r"\| ([a-z_, ]+) \| .* \| ([a-z, ]+) \|", line)
            if row and row[1] != "word":
                for layer in row[2].split(", "):
                    retired.setdefault(layer, []).extend(row[1].split(", "))
    return entries, said, retired


def glossary():
    """The page as it should be."""
    entries, said, retired = read_glossary()
    faults.extend(f"the glossary has two entries of {entry}" for entry in {e for e in entries if entries.count(e) > 1})
    tables = []
    for layer in ("core", "protocols", "net"):
        headers = headers_of(layer)
        types, listed = types_of(headers), said.get(layer, {})
        if len(types) < 15:
            faults.append(f"only {len(types)} types in {layer}: the test looks in the wrong place")
        faults.extend(f"docs/glossary.md lacks {name}, a type of {layer}" for name in types if name not in listed)
        faults.extend(f"docs/glossary.md lists {name}, which is no type of {layer}" for name in listed if name not in types)
        tables.append(f"### Types of {layer}\n\n| type | meaning |\n|---|---|\n" +
                      "".join(f"| `{name}` | {listed.get(name, about)} |\n" for name, about in types.items()))
        faults.extend(f"{header.relative_to(ROOT)} says {word}, which the glossary has retired"
                      for header, text in headers.items() for word in retired.get(layer, [])
                      if re.search(rf"(?<![a-z_]){word}(?![a-z_])", text.lower()))
    text = GLOSSARY.read_text()
    return text[:text.index("### Types of core")] + "\n".join(tables)


def stated_costs():
    """{the row's first cell: the row}, in the order of the headers. A row that is too long for a line goes on in the
    next."""
    rows = {}
    for header in sorted((ROOT / "include/sotto/protocol").rglob("*.h")):
        for field in re.findall(r"^// Costs +(.*(?:\n//  +.*)*)", header.read_text(), re.MULTILINE):
            row = ""
            for line in re.split(r"\n//  +", field):
                row = f"{row} {line}".strip()
                if row.count(" | ") == 3:
                    rows[row.split(" | ")[0]] = f"| {row} | `{header.relative_to(ROOT)}` |\n"
                    row = ""
            if " | " in row:
                faults.append(f"{header.relative_to(ROOT)}: a row of costs has four cells: {row}")
    if len(rows) < 20:
        faults.append(f"only {len(rows)} costs in headers: the test looks in the wrong place")
    return rows


def folder_of(row):
    return re.search(r"`([^`]*)/[^`]*` \|$", row)[1]


def protocols():
    """The page as it should be."""
    text = PROTOCOLS.read_text()
    begin = text.index(COSTS_HEAD) + len(COSTS_HEAD)
    end = text.index("\n\n", begin) + 1
    rows, written = stated_costs(), text[begin:end].splitlines(keepends=True)
    order = [line[2:].split(" | ")[0] for line in written]
    order = [name for name in order if name in rows]
    for name in rows:  # a new row goes behind those of its folder
        if name not in order:
            behind = [i for i, other in enumerate(order, 1) if folder_of(rows[other]) == folder_of(rows[name])]
            order.insert(behind[-1] if behind else len(order), name)
    table = "".join(rows[name] for name in order)
    if table != text[begin:end]:
        faults.extend(f"docs/protocols.md lacks a row of costs: {rows[name].strip()}" for name in rows if rows[name] not in written)
        faults.extend(f"no header states these costs: {line.strip()}" for line in written if line not in rows.values())
    return text[:begin] + table + text[end:]


pages = {GLOSSARY: glossary(), PROTOCOLS: protocols()}
if sys.argv[1:] == ["--update"]:
    for page, text in pages.items():
        page.write_text(text)
elif faults:
    sys.exit("\n".join(faults) + "\nRenew what follows from headers by: tests/reference_test.py --update")
