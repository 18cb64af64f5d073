"""Models of bandits in the sealed folders of `sotto bandit`: from Python to Python and to the command, and back."""

import json
import os
import shutil
import stat
import subprocess

import numpy as np
import pytest

import sotto

X0, X1, Y = sotto.datasets.digits(parties=2)
ONES = np.ones(len(Y))


def run(*arguments, **options):
    program = os.environ.get("SOTTO_PROGRAM")
    if not program:
        pytest.skip("SOTTO_PROGRAM does not name the program sotto")
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False, **options)


def learned(**arguments):
    arguments = {"n_arms": 10, "max_rows": 4000, "exact_scores": True, **arguments}
    return sotto.EpsilonGreedy(**arguments).partial_fit([X0, X1], Y, ONES)


def scores(bandit):
    return np.asarray(bandit.predict_scores([X0, X1]))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "model"
    bandit = learned()
    bandit.save(folder)
    return folder, bandit


def test_a_model_is_the_same_afterwards(saved):
    folder, bandit = saved
    again = sotto.EpsilonGreedy.load(folder)
    assert again.get_params() == bandit.get_params() and again.n_rows_learned_ == len(Y)
    assert again.n_features_in_ == [10, 10] and again.cost_ == {"rounds": 0, "bytes": 0, "dealt": 0}
    assert (scores(again) == scores(bandit)).all()
    assert (again.predict([X0, X1], explore=False) == bandit.predict([X0, X1], explore=False)).all()


def test_a_model_goes_on_learning(saved):
    again = sotto.EpsilonGreedy.load(saved[0])
    again.partial_fit([X0, X1], Y, ONES)
    assert again.n_rows_learned_ == 2 * len(Y)
    assert (again.predict([X0, X1], explore=False) == Y).mean() > 0.85
    with pytest.raises(ValueError, match="max_rows: the model is made for 4000 rows"):
        again.partial_fit([X0, X1], Y, ONES)


@pytest.mark.parametrize("max_rows", [len(Y), 40_000, 10**7])
def test_a_model_takes_more_or_fewer_rows(saved, max_rows):
    folder, bandit = saved
    again = sotto.EpsilonGreedy.load(folder, max_rows=max_rows)
    assert np.abs(scores(again) - scores(bandit)).max() < 1e-3
    if max_rows > 2 * len(Y):
        again.partial_fit([X0, X1], Y, ONES)
        assert (again.predict([X0, X1], explore=False) == Y).mean() > 0.85
    with pytest.raises(ValueError, match="max_rows: the model has learned 1797 events"):
        sotto.EpsilonGreedy.load(folder, max_rows=len(Y) - 1)


def test_a_model_that_goes_on_is_that_of_one_bandit(saved, tmp_path):
    first = sotto.EpsilonGreedy(10, max_rows=4000, exact_scores=True)
    first.partial_fit([X0[:900], X1[:900]], Y[:900], ONES[:900]).save(tmp_path / "half")
    second = sotto.EpsilonGreedy.load(tmp_path / "half").partial_fit([X0[900:], X1[900:]], Y[900:], ONES[900:])
    assert np.abs(scores(second) - scores(saved[1])).max() < 0.02


@pytest.mark.parametrize("arguments, parts", [
    ({"add_constant": True, "batch": 1, "update": "pulled-arm"}, [X0, X1]),
    ({"rewards": "real", "reward_lag": 3}, [X0, X1]),
    ({"epsilon": 0.0}, [X0[:, :4], X0[:, 4:], X1]),
    ({"preprocessing": "replicated"}, [X0[:, :4], X0[:, 4:], X1]),
])
def test_arguments_come_back(tmp_path, arguments, parts):
    bandit = sotto.EpsilonGreedy(10, max_rows=500, exact_scores=True, **arguments)
    bandit.partial_fit([part[:64] for part in parts], Y[:64], ONES[:64])
    bandit.save(tmp_path / "model")
    again = sotto.EpsilonGreedy.load(tmp_path / "model")
    assert repr(again) == repr(bandit) and again.n_features_in_ == [part.shape[1] for part in parts]
    assert (np.asarray(again.predict_scores(parts)) == np.asarray(bandit.predict_scores(parts))).all()


def test_names_of_arms_and_columns_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame(part).rename(columns=lambda c, p=p: f"{p}, {c}") for p, part in enumerate((X0, X1))]
    names = np.array([f"arm {arm}" for arm in range(10)])
    sotto.EpsilonGreedy(max_rows=2000).partial_fit(frames, names[Y], ONES).save(tmp_path / "model")
    again = sotto.EpsilonGreedy.load(tmp_path / "model")
    assert list(again.arms_) == list(names) and again.n_arms is None
    assert set(again.predict(frames)) <= set(names)
    with pytest.raises(ValueError, match="X.1., column '1, 1': the model has '1, 0' in its place"):
        again.predict([frames[0], frames[1][["1, 1", "1, 0", *frames[1].columns[2:]]]])
    of_second = (tmp_path / "model/state/party_1/bandit.json").read_text()
    assert "1, 3" in of_second and "0, 3" not in of_second


def test_opened_arms_are_still_counted(tmp_path):
    bandit = learned()
    bandit.predict([X0, X1])
    bandit.predict([X0[:5], X1[:5]], explore=False)
    bandit.predict_scores([X0[:7], X1[:7]])
    bandit.save(tmp_path / "model")
    assert sotto.EpsilonGreedy.load(tmp_path / "model").privacy == bandit.privacy


def test_only_its_owner_can_enter_a_folder(saved):
    state = saved[0] / "state"
    assert sorted(path.name for path in state.iterdir()) == ["party_0", "party_1"]
    for party in state.iterdir():
        assert stat.S_IMODE(party.stat().st_mode) == 0o700
        for name in ("store.db", "key.pem", "config.toml", "bandit.json"):
            assert stat.S_IMODE((party / name).stat().st_mode) == 0o600, name


def test_a_folder_can_be_moved(saved, tmp_path):
    folders = [tmp_path / "one", tmp_path / "two" / "deep"]
    for party, folder in enumerate(folders):
        shutil.copytree(saved[0] / f"state/party_{party}", folder)
    again = sotto.EpsilonGreedy.load(folders)
    assert (scores(again) == scores(saved[1])).all()
    by_config = sotto.EpsilonGreedy.load([folder / "config.toml" for folder in folders])
    assert (scores(by_config) == scores(saved[1])).all()


def copied(saved, tmp_path, name="copy"):
    shutil.copytree(saved[0], tmp_path / name)
    return tmp_path / name


def refused(folder, message):
    with pytest.raises(ValueError, match=message):
        sotto.EpsilonGreedy.load(folder)


def test_refuses_a_missing_folder(saved, tmp_path):
    folder = copied(saved, tmp_path)
    shutil.rmtree(folder / "state/party_0")
    refused(folder, "party_0: the folder of party 0 is missing; bring it back")
    shutil.rmtree(folder / "state/party_1")
    refused(folder, "party_0: the folder of party 0 is missing")
    refused(tmp_path, "there is no folder state in it")
    refused([saved[0] / "state/party_0"], "the run has 2 parties.*give the folder of each party")
    refused([saved[0] / "state/party_0", tmp_path / "none"], "the folder of party 1 is missing")


def test_refuses_folders_in_another_order(saved):
    refused([saved[0] / f"state/party_{p}" for p in (1, 0)], "expected the config of party 0 in an earlier run")


def test_refuses_another_key(saved, tmp_path):
    folder = copied(saved, tmp_path)
    other = folder / "state/party_0/key.pem"
    shutil.copyfile(folder / "state/party_1/key.pem", other)
    refused(folder, "party_0/store.db: .*key")
    other.unlink()
    refused(folder, "key.pem")


def test_refuses_parts_of_two_models(saved, tmp_path):
    folder, other = copied(saved, tmp_path), tmp_path / "other"
    saved[1].save(other)  # the same model once more, whose shares nobody can tell from those of another
    shutil.rmtree(folder / "state/party_1")
    shutil.copytree(other / "state/party_1", folder / "state/party_1")
    refused(folder, "party 0 and party 1 have two models, or one model at two times")


def test_refuses_other_arguments_at_one_party(saved, tmp_path):
    folder = copied(saved, tmp_path)
    file = folder / "state/party_1/bandit.json"
    read = json.loads(file.read_text())
    read["parameters"]["epsilon"] = 0.5
    file.write_text(json.dumps(read))
    refused(folder, "bandit.json: other arguments than those of party 0")
    for text in ("{", "[]", "{}", '{"format": 1}', "\xff"):
        file.write_text(text, encoding="latin-1")
        refused(folder, "bandit.json: not what save.. writes")
    file.write_text('{"format": 2}')
    refused(folder, "written by another version")
    file.unlink()
    refused(folder, "bandit.json: not what save.. writes; bring the file back")
    for party in range(2):
        path = folder / f"state/party_{party}/bandit.json"
        path.write_text(json.dumps({**read, "parameters": {**read["parameters"], "colour": 1}}))
    refused(folder, "bandit.json: .*there is no colour")


def test_refuses_a_damaged_store(saved, tmp_path):
    folder = copied(saved, tmp_path)
    store = folder / "state/party_1/store.db"
    store.write_bytes(store.read_bytes()[:5000])
    refused(folder, "party_1/store.db: ")
    folder = copied(saved, tmp_path, "again")
    (folder / "state/party_1/columns.csv").write_text("a,b\n")
    refused(folder, "the input file of party 1 has changed")


def test_nothing_is_overwritten(saved, tmp_path):
    with pytest.raises(ValueError, match="state: exists already: choose another folder"):
        saved[1].save(saved[0])
    with pytest.raises(ValueError, match="save: the bandit has learned nothing yet"):
        sotto.EpsilonGreedy(10).save(tmp_path / "empty")
    assert not (tmp_path / "empty").exists()
    with pytest.raises(sotto.ResourceError, match="no/such"):
        saved[1].save(tmp_path / "no/such/folder")


def files_of(folder):
    for name, part in (("a.csv", X0), ("b.csv", X1)):
        head = ",".join(f"f{column}" for column in range(part.shape[1]))
        np.savetxt(folder / name, part, delimiter=",", header=head, comments="", fmt="%r")
    (folder / "log.csv").write_text("arm,reward,propensity\n" + "".join(f"{arm},1,0.5\n" for arm in Y))
    (folder / "labels.csv").write_text("label\n" + "".join(f"{arm}\n" for arm in Y))
    return ["--party", "a.csv", "--party", "b.csv", "--max-norm", "1"]


def test_python_reads_what_the_command_learned(tmp_path):
    files = files_of(tmp_path)
    done = run("bandit", *files, "--log", "log.csv", "--out", "learned", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    bandit = sotto.EpsilonGreedy.load(tmp_path / "learned")
    assert (bandit.n_rows_learned_, bandit.n_arms, bandit.max_rows, bandit.batch) == (1797, 10, 1797, 256)
    assert (bandit.predict([X0, X1], explore=False) == Y).mean() > 0.85
    with pytest.raises(ValueError, match="max_rows: the model is made for 1797 rows"):
        bandit.partial_fit([X0, X1], Y, ONES)
    more = sotto.EpsilonGreedy.load(tmp_path / "learned", max_rows=9000).partial_fit([X0, X1], Y, ONES)
    assert more.n_rows_learned_ == 2 * 1797 and (more.predict([X0, X1], explore=False) == Y).mean() > 0.85
    more.save(tmp_path / "more")
    again = sotto.EpsilonGreedy.load(tmp_path / "more")
    assert (again.predict([X0, X1], explore=False) == more.predict([X0, X1], explore=False)).all()


@pytest.mark.parametrize("flags", [[], ["--batch", "32"]])
def test_python_reads_the_model_of_a_run(tmp_path, flags):
    files = files_of(tmp_path)
    flags = [*flags, "--environment", "labels.csv", "--checkpoint-every", "500", "--steps", "1500", "--out", "run"]
    done = run("bandit", *files, *flags, "--no-compare-parts", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    bandit = sotto.EpsilonGreedy.load(tmp_path / "run", max_rows=4000)
    assert bandit.n_rows_learned_ == 1500
    assert (bandit.predict([X0, X1], explore=False) == Y).mean() > 0.5
    assert bandit.partial_fit([X0, X1], Y, ONES).n_rows_learned_ == 3297


def test_the_scale_of_rewards_is_told(tmp_path):
    files = files_of(tmp_path)
    done = run("bandit", *files, "--log", "log.csv", "--reward-scale", "4", "--out", "learned", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with pytest.warns(UserWarning, match="divided by 4; divide those of partial_fit by as much"):
        bandit = sotto.EpsilonGreedy.load(tmp_path / "learned")
    assert bandit.rewards == "real"


def test_the_command_goes_on_from_a_model_of_python(saved, tmp_path):
    files = files_of(tmp_path)
    flags = ["--full-support", "--insecure-seed", 5, "--propensities", "frequencies", "--account-epsilon", 4]
    done = run("evaluate", *files, "--log", "log.csv", "--from", saved[0], "--json", *flags, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout)
    assert theirs["from"]["events"] == 1797
    ours = saved[1].evaluate([X0, X1], {"arm": Y, "reward": ONES}, full_support=True, random_state=5,
                             propensities="frequencies", account_epsilon=4.0)
    assert json.loads(ours.json())["evaluation"] == theirs["evaluation"]
    done = run("bandit", *files, "--environment", "labels.csv", "--from", saved[0], "--json", cwd=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout)["average_reward"] > 0.7, done.stderr


def test_a_loaded_model_is_evaluated(saved):
    log = {"arm": np.tile(Y, 2), "reward": np.ones(2 * len(Y)), "propensity": np.full(2 * len(Y), 0.1)}
    X = [np.vstack([part, part]) for part in (X0, X1)]
    again = sotto.EpsilonGreedy.load(saved[0])
    made = again.evaluate(X, log, random_state=3, account_epsilon=4.0, arms_offered=10)
    assert list(made) == list(saved[1].evaluate(X, log, random_state=3, account_epsilon=4.0, arms_offered=10))
