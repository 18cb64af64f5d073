"""Runs the code cells of a notebook in their order, in one namespace, as a kernel would, and shows the last value of
each cell: `python3 run_notebook.py NOTEBOOK`. It needs no Jupyter."""

import ast
import json
import sys
from pathlib import Path


def run_cell(source, name, namespace):
    """Runs one cell. If the last statement is an expression, its value is shown as a notebook shows it."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), namespace)
    if last is None:
        return
    value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
    if value is not None:
        print(repr(value))
        if hasattr(value, "_repr_html_"):
            print(f"HTML of {len(value._repr_html_())} letters")


def main(path):
    namespace = {"__name__": "__main__"}
    for cell in json.loads(Path(path).read_text())["cells"]:
        if cell["cell_type"] == "code":
            run_cell("".join(cell["source"]), f"{Path(path).name}, {cell['id']}", namespace)
    print("all cells have run")


if __name__ == "__main__":
    main(sys.argv[1])
