#!/usr/bin/env python3
"""Checks that the glossary explains each term once, and that headers use no word that the glossary has retired."""
import re
import sys
from pathlib import Path

from layers_test import layer_of

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "docs/explain/glossary.md"


def headers_of(layer):
    """{header: its text}"""
    texts = {header: header.read_text() for top in (layer, "include/sotto/protocol") for header in sorted((ROOT / top).rglob("*.h"))}
    return {header: text for header, text in texts.items() if layer_of(str(header.relative_to(ROOT)), text) == layer}


def read_glossary():
    """(terms, {layer: retired words})"""
    section, terms, retired = "", [], {}
    for line in GLOSSARY.read_text().splitlines():
        if line.startswith("##"):
            section = line.lstrip("#").strip()
        if section == "Terms":
            terms += re.findall(r"^- \*\*([^*]+)\*\*", line)
        elif section == "Retired words":
            row = re.fullmatch(r"\| ([a-z_, ]+) \| .* \| ([a-z, ]+) \|", line)
            if row and row[1] != "word":
                for layer in row[2].split(", "):
                    retired.setdefault(layer, []).extend(row[1].split(", "))
    return terms, retired


terms, retired = read_glossary()
faults = [f"the glossary explains {term} twice" for term in sorted({term for term in terms if terms.count(term) > 1})]
if len(terms) < 40 or set(retired) != {"core", "protocols", "net"}:
    faults.append(f"only {len(terms)} terms, and retired words of {sorted(retired)}: the test looks in the wrong place")
for layer, words in retired.items():
    faults += [f"{header.relative_to(ROOT)} says {word}, which the glossary has retired"
               for header, text in headers_of(layer).items() for word in words
               if re.search(rf"(?<![a-z_]){word}(?![a-z_])", text.lower())]
print("\n".join(faults))
sys.exit(1 if faults else 0)
