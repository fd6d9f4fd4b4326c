"""The comparison: fair budgets, runs that can be repeated, a sentence that follows the numbers."""

import json
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytie.experiments.compare import (
    NAMES,
    LanguageOptions,
    arm_name,
    arms_of,
    chosen,
    curves_record,
    difference,
    jobs_of,
    other_seeds,
    parameters,
    record_of,
    sentence,
    spread,
    summarize,
    verdict,
)
from tinytie.experiments.engine import train
from tinytie.experiments.workers import run_all
from tinytie.measure.parameters import count_parameters
from tinytie.models.bodies import BODIES
from tinytie.text.corpora import text_corpus
from tinytie.training.finite import TrainingError
from tinytie.training.trainer import Epoch

SMALL = LanguageOptions(width=5, batch_size=3, steps=4, epochs=2)


@pytest.fixture(scope="module")
def corpus():
    words = np.random.default_rng(0).choice(list("abcdefgh"), (60, 5))
    text = "\n".join(map(" ".join, words))
    return text_corpus("here", (text, text[:100], text[100:200]), min_count=1)


@pytest.fixture(scope="module")
def jobs(corpus):
    return jobs_of(SMALL, corpus, seeds=2)


@pytest.fixture(scope="module")
def runs(jobs):
    return [train(job) for job in jobs]


@pytest.mark.parametrize("model", BODIES)
@given(st.integers(1, 6), st.integers(1, 2), st.sampled_from([1, 2, 3]), st.integers(2, 200))
def test_the_wider_tied_model_is_the_widest_within_the_budget(model, width, layers, heads, V):
    step = heads if model == "transformer" else 1
    options = LanguageOptions(
        model=model, width=width * step, layers=layers, heads=heads, cell="lstm", steps=4
    )
    untied, same_width, same_budget = arms_of(options, V)
    budget = parameters(options, V, False)
    assert budget == count_parameters(options.build(V, False, rng=0))["total"]
    assert untied.width == same_width.width == options.width
    assert not untied.tied and same_width.tied and same_budget.tied
    assert parameters(options.changed(width=same_budget.width), V, True) <= budget
    assert parameters(options.changed(width=same_budget.width + step), V, True) > budget


@pytest.mark.parametrize("model", BODIES)
def test_every_body_is_compared_by_the_same_loop_and_a_seed_fixes_its_run(model, corpus):
    options = SMALL.changed(model=model, width=6, heads=2)
    first, second = jobs_of(options, corpus, seeds=2)[:2]
    one, again, other = train(first), train(first), train(second)
    for name, array in one.model.params.items():
        assert array.dtype == np.float32
        assert array.tobytes() == again.model.params[name].tobytes()
    assert one.found == again.found != other.found


def test_an_unknown_body_or_optimizer_is_one_sentence_that_lists_the_choices(corpus):
    for name in ("model", "optimizer"):
        with pytest.raises(ValueError, match=f"{name} must be one of .*; got 'nosuch'"):
            jobs_of(SMALL.changed(**{name: "nosuch"}), corpus, seeds=1)[0].build()


def test_the_first_loss_is_that_of_a_fair_choice(corpus):
    big = SMALL.changed(width=30, epochs=1, rate=1e-12)
    for job in jobs_of(big, corpus, seeds=1):
        assert train(job).valid_loss == pytest.approx(np.log(len(corpus.vocabulary)), rel=0.05)


def test_runs_in_processes_equal_runs_here_and_come_in_order(jobs, runs):
    heard = []
    others = run_all(jobs, processes=2, listen=lambda i, event: heard.append((i, event)))
    assert [r.valid_loss for r in others] == pytest.approx([r.valid_loss for r in runs], rel=1e-5)
    epochs = sum(isinstance(event, Epoch) for _, event in heard)
    assert epochs <= len(jobs) * SMALL.epochs and {i for i, _ in heard} == set(range(len(jobs)))


def test_an_error_in_one_run_stops_all_and_names_the_run(corpus):
    jobs = jobs_of(SMALL.changed(epochs=500, rate=1e38, max_norm=1e38), corpus, seeds=1)
    with pytest.raises(TrainingError, match=r"seed 0: epoch \d+, step"):
        run_all(jobs, processes=2, listen=lambda i, event: None)


def test_the_table_has_a_row_for_each_arm_in_its_order(jobs, runs):
    arms = summarize(jobs, runs)
    assert [arm["arm"] for arm in arms] == list(NAMES)
    for arm in arms:
        values = [np.exp(run.found[1]) for job, run in zip(jobs, runs, strict=True)
                  if job.label.startswith(arm["arm"])]  # fmt: skip
        assert arm["test_perplexity"]["mean"] == pytest.approx(np.mean(values))
        assert arm["test_perplexity"]["deviation"] == pytest.approx(np.std(values, ddof=1))
    assert arms[2]["parameters"] <= arms[0]["parameters"]


def test_each_arm_takes_the_point_of_the_grid_that_its_own_validation_likes_best(corpus):
    grid = {"rate": (1e-9, 1e-2), "dropout": (0.0, 0.9)}
    jobs = jobs_of(SMALL, corpus, 3, grid)
    runs = [train(job) for job in jobs]
    best = chosen(jobs, runs)
    assert [job.label for job, _ in best] == [f"{name}, seed 0" for name in NAMES]
    for job, run in best:
        of_arm = [r for j, r in zip(jobs, runs, strict=True) if arm_name(j) == arm_name(job)]
        assert len(of_arm) == 4 and run.valid_loss == min(r.valid_loss for r in of_arm)
        assert train(job).found == run.found  # it is the run of that seed
    more = other_seeds([job for job, _ in best], 3)
    assert [(arm_name(job), job.options.seed) for job in more] == [
        (name, seed) for name in NAMES for seed in (1, 2)
    ]
    assert all(job.options.rate == 1e-2 for job in more)


def test_the_difference_of_arms_is_that_of_runs_with_the_same_seed():
    untied, tied = ({"values": values} for values in ([10.0, 20.0, 30.0], [9.0, 18.5, 28.5]))
    d = difference(tied, untied)  # -1, -1.5, -1.5; s = 0.2887, t = 4.303
    assert d["mean"] == pytest.approx(-4 / 3)
    assert d["high"] - d["mean"] == pytest.approx(4.303 * 0.288675 / 3**0.5, rel=1e-4)
    assert d["low"] + d["high"] == pytest.approx(2 * d["mean"])
    assert difference({"values": [1.0]}, {"values": [3.0]}) == {
        "mean": -2.0, "low": None, "high": None,
    }  # fmt: skip


def test_the_record_is_json_and_holds_the_curves(corpus, jobs, runs):
    arms = summarize(jobs, runs)
    curves = {"runs": [curves_record(*done) for done in zip(jobs, runs, strict=True)]}
    record = record_of(SMALL, corpus, 2, arms) | curves
    back = json.loads(json.dumps(record, allow_nan=False))
    assert back["seeds"] == [0, 1] and back["options"]["width"] == 5
    assert back["corpus"]["vocabulary"] == len(corpus.vocabulary)
    assert len(back["runs"]) == 6 and len(back["runs"][0]["epochs"]) == 2
    assert back["sentence"] == sentence(arms)


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


def perplexities(*values):
    return spread(np.log(values))


@pytest.mark.parametrize("case", CASES)
def test_the_sentence_says_what_the_numbers_say_even_where_tying_loses(case):
    sizes = {"untied": 1000, "tied, same width": 600, "tied, same budget": 990}
    arms = [
        {"arm": name, "width": 64, "parameters": size, "test_perplexity": perplexities(*values)}
        for (name, size), values in zip(sizes.items(), case[:3], strict=True)
    ]
    said = sentence(arms)
    positions = [said.index(part) for part in case.said]
    assert positions == sorted(positions)
    assert "took away 40% of the parameters" in said


def test_arms_that_overlap_are_not_told_apart():
    for values in ((1.0, 3.0), (2.0, 4.0)), ((2.0, 2.0), (2.0, 2.0)):
        assert verdict(*(perplexities(*some) for some in values)) == "made no clear difference"
