"""Programs without a dealer: values compared with numpy, costs compared with the plan, the examples, and roles over
TLS.
"""

import json
import os
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import sotto

sys.path.insert(0, str(Path(__file__).parent))
import roles

EXAMPLES = Path(os.environ.get("SOTTO_SOURCE", Path(__file__).parents[2])) / "apps/examples"
PARTIES = {"replicated": 3, "ot": 2, "helper": 2}


def market(s, bids):
    b = sotto.stack([s.input(bids, owner=p, shape=(3,), bound=100) for p in range(s.parties)])
    win = b.argmax(axis=0)
    price = s.open((b * (1 - win)).max(axis=0), name="price")
    return {"price": price, "share": s.open(sotto.sigmoid(b[0] / 32 - 1), name="share", to=1)}


BIDS = [[3, 50, 7.5], [4, 49, 7], [99, 0, 6.25]]


@pytest.mark.parametrize("mode", PARTIES)
def test_values_and_costs_without_a_dealer(mode):
    parties = PARTIES[mode]
    program = sotto.program(market, parties=parties, preprocessing=mode)
    out, plan = program.simulate(*BIDS[:parties]), program.plan()
    dealt = sotto.program(market, parties=parties).plan()
    assert out.value["price"].tolist() == np.sort(BIDS[:parties], axis=0)[-2].tolist()
    np.testing.assert_allclose(out.value["share"], 1 / (1 + np.exp(1 - np.array(BIDS[0]) / 32)), atol=5e-5)
    for cost in ("rounds", "bytes", "dealt", "preprocessing_rounds", "preprocessing_bytes", "opened"):
        assert getattr(out, cost) == getattr(plan, cost)
    assert plan.dealt == 0 and plan.preprocessing_bytes > 0
    assert plan.rounds - plan.preprocessing_rounds == dealt.rounds
    assert dealt.preprocessing_rounds == dealt.preprocessing_bytes == 0
    assert [o[:3] for o in plan.opened] == [o[:3] for o in dealt.opened]


@pytest.mark.parametrize(
    "options, expected",
    [
        ({"preprocessing": "both"}, "'dealer', 'replicated', 'ot' or 'helper', not 'both'"),
        ({"preprocessing": None}, "'dealer', 'replicated', 'ot' or 'helper', not None"),
        ({"preprocessing": ["ot"]}, "'dealer', 'replicated', 'ot' or 'helper', not"),
        ({"preprocessing": "replicated"}, "'replicated' is of 3 parties, not 2"),
        ({"preprocessing": "ot", "parties": 3}, "'ot' is of 2 parties, not 3"),
    ],
)
def test_what_there_is_not(options, expected):
    with pytest.raises(ValueError, match=expected):
        sotto.program(market, **options)


@pytest.mark.parametrize("mode", PARTIES)
def test_a_wide_argmax_needs_a_dealer(mode):
    def widest(s):
        return s.open(s.constant(np.arange(65.0)).argmax(), name="place")

    program = sotto.program(widest, parties=PARTIES[mode], preprocessing=mode)
    for call in (program.plan, program.simulate):
        with pytest.raises(ValueError, match="an argmax of more than 64 arms needs a dealer"):
            call()
    assert sotto.program(widest).simulate().value.argmax() == 64


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("[1-7]*.py")))
def test_examples_compare_themselves_with_plain_text_without_a_dealer(name, monkeypatch, capsys):
    """The eighth example is left out because it has four parties, and the ninth because it is no program."""
    made = []

    def by_themselves(function=None, *, parties=2, **options):
        if function is None:
            return lambda function: by_themselves(function, parties=parties, **options)
        mode = {2: "ot", 3: "replicated"}[parties]
        made.append(mode)
        return program(function, parties=parties, preprocessing=mode, **options)

    program = sotto.program
    monkeypatch.setattr(sotto, "program", by_themselves)
    monkeypatch.setattr(sys, "argv", [name])
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    try:
        runpy.run_path(name, run_name="__main__")
    except SystemExit as end:
        assert not end.code, capsys.readouterr().out
    assert made and " rounds, " in capsys.readouterr().out


SCRIPT = """
import json, sys
import numpy as np
import sotto

config = sotto.Config.from_arguments()

@sotto.program(parties=config.parties, preprocessing=config.preprocessing)
def market(s, bids):
    b = sotto.stack([s.input(bids, owner=p, shape=(3,), bound=100) for p in range(s.parties)])
    win = b.argmax(axis=0)
    return s.open((b * (1 - win)).max(axis=0), name="price")

try:
    mine = None if config.party is None else [3 + config.party, 50 - config.party, 7]
    out = market.run(config, mine)
except sotto.Error as error:
    print(error)
    sys.exit(error.exit_code)
value = None if out.value is None else out.value.tolist()
print(json.dumps([config.preprocessing, value, out.rounds, out.preprocessing_rounds, out.dealt]))
"""


@pytest.mark.parametrize("mode", PARTIES)
def test_a_run_over_tls_has_no_dealer(tmp_path, mode):
    parties = PARTIES[mode]
    folders = roles.init(tmp_path / "run", parties, "--preprocessing", mode)
    assert set(folders) == {f"party_{p}" for p in range(parties)} | ({"helper"} if mode == "helper" else set())
    script = tmp_path / "market.py"
    script.write_text(SCRIPT)
    ends = roles.finish({role: roles.start(script, folder) for role, folder in folders.items()})
    for role, (code, out, err) in ends.items():
        assert code == 0, out + err
        told, value, rounds, ahead, dealt = json.loads(out)
        if role == "helper":  # the helper learns nothing
            assert value is None
            value = [2 + parties - 1, 49, 7]
        assert (told, value, dealt) == (mode, [2 + parties - 1, 49, 7], 0)
        assert 0 < ahead < rounds


def test_a_program_of_another_mode_than_its_config_is_refused(tmp_path):
    folders = roles.init(tmp_path / "run", 2, "--preprocessing", "ot")
    program = sotto.program(market)
    with pytest.raises(ValueError, match="the run has preprocessing = 'ot', but <program market of 2 parties> is of 'dealer'"):
        program.run(folders["party_0"] / "config.toml", [1, 2, 3])
