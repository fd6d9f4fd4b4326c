"""The comparison: fair budgets, runs that can be repeated, a sentence that follows the numbers."""

import json
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytie.experiments.experiment import (
    NAMES,
    Arm,
    arms_of,
    jobs_of,
    parameters,
    train_one,
)
from tinytie.experiments.options import Options, build_model
from tinytie.experiments.results import curves_record, summary
from tinytie.experiments.summary import ArmResult, Spread, headline, sentence, summarize, verdict
from tinytie.experiments.workers import run_all
from tinytie.text.corpora import text_corpus
from tinytie.training.trainer import Epoch, TrainingError

SMALL = Options(width=5, batch_size=3, steps=4, epochs=2)


@pytest.fixture(scope="module")
def corpus():
    words = np.random.default_rng(0).choice(list("abcdefgh"), (60, 5))
    text = "\n".join(map(" ".join, words))
    return text_corpus("here", (text, text[:100], text[100:200]), min_count=1)


@pytest.fixture(scope="module")
def runs(corpus):
    return [train_one(job) for job in jobs_of(SMALL, corpus, seeds=2)]


@given(
    st.builds(Options, width=st.integers(1, 12), layers=st.integers(1, 2),
              cell=st.sampled_from(["rnn", "lstm"])),
    st.integers(2, 200),
)  # fmt: skip
def test_the_wider_tied_model_is_the_widest_within_the_budget(options, vocab_size):
    untied, same_width, same_budget = arms_of(options, vocab_size)
    budget = parameters(options, vocab_size, False, options.width)
    assert untied.width == same_width.width == options.width
    assert not untied.tied and same_width.tied and same_budget.tied
    assert parameters(options, vocab_size, True, same_budget.width) <= budget
    assert parameters(options, vocab_size, True, same_budget.width + 1) > budget


@pytest.mark.parametrize("heads", [1, 3])
def test_a_wider_transformer_keeps_whole_heads(heads):
    options = Options(model="transformer", width=6, heads=heads, steps=4)
    budget = parameters(options, 200, False, 6)
    width = arms_of(options, 200)[2].width
    assert width % heads == 0
    assert parameters(options, 200, True, width) <= budget
    assert parameters(options, 200, True, width + heads) > budget


def test_a_transformer_is_compared_by_the_same_loop(corpus):
    options = Options(model="transformer", width=6, heads=2, batch_size=3, steps=4, epochs=2)
    job = jobs_of(options, corpus, seeds=1)[0]
    one, two = train_one(job), train_one(job)
    for name, array in one.model.params.items():
        assert array.tobytes() == two.model.params[name].tobytes()
    assert one.model.context == 4


def test_models_train_in_float32():
    model = build_model(SMALL, 50, tied=True, rng=0)
    assert {a.dtype for a in model.params.values()} == {np.dtype(np.float32)}


def test_a_seed_fixes_a_run_and_another_seed_is_another_run(corpus, runs):
    again = train_one(jobs_of(SMALL, corpus, seeds=1)[0])
    assert again.label == runs[0].label != runs[1].label
    assert again.test_loss == runs[0].test_loss != runs[1].test_loss


def test_the_first_loss_is_that_of_a_fair_choice(corpus):
    big = Options(width=30, batch_size=3, steps=4, epochs=1, rate=1e-12)
    for job in jobs_of(big, corpus, seeds=1):
        assert train_one(job).valid_loss == pytest.approx(np.log(len(corpus.vocabulary)), rel=0.05)


def test_runs_in_processes_equal_runs_here_and_come_in_order(corpus, runs):
    heard = []
    jobs = jobs_of(SMALL, corpus, seeds=2)
    others = run_all(jobs, processes=2, report=lambda i, event: heard.append((i, event)))
    assert [run.label for run in others] == [job.label for job in jobs]
    assert [r.valid_loss for r in others] == pytest.approx([r.valid_loss for r in runs], rel=1e-5)
    epochs = sum(isinstance(event, Epoch) for _, event in heard)
    assert epochs <= len(jobs) * SMALL.epochs and {i for i, _ in heard} == set(range(len(jobs)))


def test_an_error_in_one_run_stops_all_and_names_the_run(corpus):
    options = Options(width=5, batch_size=3, steps=4, epochs=500, rate=1e38, max_norm=1e38)
    jobs = jobs_of(options, corpus, seeds=1)
    with pytest.raises(TrainingError, match=r"seed 0: epoch \d+, step"):
        run_all(jobs, processes=2, report=lambda i, event: None)


def test_the_table_has_a_row_for_each_arm_in_its_order(runs):
    results = summarize(runs)
    assert [r.arm.name for r in results] == list(NAMES)
    for r in results:
        values = [np.exp(run.test_loss) for run in runs if run.arm == r.arm]
        assert r.test.mean == pytest.approx(np.mean(values))
        assert r.test.deviation == pytest.approx(np.std(values, ddof=1))
    assert results[2].parameters <= results[0].parameters


def test_the_record_is_json_and_holds_the_curves(corpus, runs):
    record = summary(SMALL, corpus, 2, summarize(runs))
    text = json.dumps(record | {"runs": [curves_record(run) for run in runs]}, allow_nan=False)
    back = json.loads(text)
    assert back["seeds"] == [0, 1] and back["options"]["width"] == 5
    assert back["corpus"]["vocabulary"] == len(corpus.vocabulary)
    assert len(back["runs"]) == 6 and len(back["runs"][0]["epochs"]) == 2
    assert back["sentence"] == sentence(summarize(runs))


class Case(NamedTuple):
    untied: tuple
    same_width: tuple
    same_budget: tuple
    said: list


CASES = [
    Case((60, 61), (70, 71), (50, 51), ["was worse in every seed", "was better in every seed"]),
    Case((60, 70), (65, 69), (59, 80), ["made no clear difference"] * 2),
    Case((60,), (61,), (59,), ["came out higher", "came out lower", "One seed is a look"]),
]


@pytest.mark.parametrize("case", CASES)
def test_the_sentence_says_what_the_numbers_say_even_where_tying_loses(case):
    sizes = {"untied": 1000, "tied, same width": 600, "tied, same budget": 990}
    results = [
        ArmResult(Arm(name, name != "untied", 64), size, 1, v, v, v, 1.0)
        for (name, size), v in zip(sizes.items(), map(Spread, case[:3]), strict=True)
    ]
    said = sentence(results)
    positions = [said.index(part) for part in case.said]
    assert positions == sorted(positions)
    assert "took away 40% of the parameters" in said
    assert headline(results).startswith(f"Test perplexity: untied {Spread(case.untied)}; tied")


def test_arms_that_overlap_are_not_told_apart():
    assert verdict(Spread((1.0, 3.0)), Spread((2.0, 4.0))) == "made no clear difference"
    assert verdict(Spread((2.0, 2.0)), Spread((2.0, 2.0))) == "made no clear difference"
