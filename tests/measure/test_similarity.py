"""Agreement with people's scores, and between two embeddings, against values by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytie.measure.similarity import (
    Pair,
    agreement,
    distance_correlation,
    interval,
    pairwise_cosines,
    ranks,
    read_pairs,
    spearman,
)

numbers = st.lists(st.integers(-5, 5), min_size=3, max_size=12)


def test_equal_values_share_the_mean_of_their_ranks():
    assert ranks(np.array([10.0, 30.0, 20.0, 20.0])).tolist() == [1, 4, 2.5, 2.5]
    assert ranks(np.array([7.0, 7.0, 7.0])).tolist() == [2, 2, 2]


def test_spearman_by_hand():
    # without ties: 1 − 6 Σ d² / n (n² − 1) with d = 0, 1, −1, 0 gives 1 − 12/60
    assert spearman([1, 2, 3, 4], [10, 30, 20, 40]) == pytest.approx(0.8)
    # ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(4.5 / math.sqrt(4.5 * 5))


def test_spearman_sees_the_order_alone():
    assert spearman([1, 2, 3], [1, 100, 1e6]) == pytest.approx(1)
    assert spearman([1, 2, 3], [5, 1, -9]) == pytest.approx(-1)


@given(numbers, st.randoms())
def test_spearman_is_symmetric_and_does_not_depend_on_the_order_of_the_pairs(a, random):
    b = [random.randint(-5, 5) for _ in a]
    order = random.sample(range(len(a)), len(a))
    value = spearman(a, b)
    shuffled = spearman([b[i] for i in order], [a[i] for i in order])
    assert value == pytest.approx(shuffled, nan_ok=True)
    assert math.isnan(value) or -1 - 1e-12 <= value <= 1 + 1e-12


@pytest.mark.parametrize("a, b", [([], []), ([1], [2]), ([3, 3, 3], [1, 2, 3])])
def test_spearman_is_undefined_where_nothing_varies(a, b):
    assert math.isnan(spearman(a, b))


def test_a_file_with_tabs_and_one_with_blanks_say_the_same(tmp_path):
    tabs, blanks = tmp_path / "tabs.txt", tmp_path / "blanks.txt"
    tabs.write_text("tiger\tcat\t7.35\nlove\tsex\t6.77\n")
    blanks.write_text("# word1 word2 score\ntiger cat 7.35\r\n\r\nlove  sex 6.77")
    expected = [Pair("tiger", "cat", 7.35), Pair("love", "sex", 6.77)]
    assert read_pairs(tabs).pairs == read_pairs(blanks).pairs == expected
    assert read_pairs(tabs).name == "tabs"


@pytest.mark.parametrize("line", ["tiger cat", "tiger cat high", "a b 1 2", "a b nan", "a b inf"])
def test_a_line_that_is_no_pair_is_named(tmp_path, line):
    path = tmp_path / "pairs.txt"
    path.write_text(f"tiger cat 7.35\n\n{line}\n")
    with pytest.raises(ValueError, match="line 3: expected two words and a number"):
        read_pairs(path)


def test_a_file_of_remarks_alone_is_refused(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("# word1 word2 score\n")
    with pytest.raises(ValueError, match="holds no line"):
        read_pairs(path)


def test_pairs_with_an_unknown_word_are_left_out_and_counted():
    E = np.array([[1.0, 0.0], [1.0, 0.1], [1.0, 1.0], [-1.0, 0.3]])
    ids = {"cat": 0, "tiger": 1, "love": 2, "bank": 3}
    pairs = [
        Pair("cat", "Tiger", 9.0),  # its lower-case form has a row
        Pair("cat", "love", 5.0),
        Pair("cat", "bank", 1.0),
        Pair("cat", "zyzzyva", 8.0),
    ]
    assert agreement(E, ids, pairs) == (pytest.approx(1.0), 3, 4, (-1.0, 1.0))


def test_no_covered_pair_leaves_the_correlation_undefined():
    found = agreement(np.eye(2), {"a": 0, "b": 1}, [Pair("x", "y", 1.0)])
    assert math.isnan(found.rho) and found.covered == 0


def test_a_row_of_zeros_is_similar_to_nothing():
    assert pairwise_cosines(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])).tolist() == [0, 0, 1]


@given(st.integers(0, 1000))
def test_turning_and_scaling_an_embedding_keeps_its_distances(seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((12, 4))
    rotation, _ = np.linalg.qr(rng.standard_normal((4, 4)))
    B = 3.0 * A @ rotation
    assert distance_correlation(A, B) == pytest.approx(1.0, abs=1e-6)
    assert abs(distance_correlation(A, rng.standard_normal((12, 6)))) < 0.9


def test_embeddings_of_different_words_are_refused():
    with pytest.raises(ValueError, match="same words: 3, 4"):
        distance_correlation(np.eye(3), np.eye(4))


def test_the_interval_is_that_of_bonett_and_wright():
    """The example in the manual of R's statpsych, ci.spear: 15 pairs, 0.8699639."""
    assert interval(0.8699639, 15) == pytest.approx((0.5840951, 0.9638297), abs=1e-4)


@pytest.mark.parametrize(("rho", "n"), [(1.0, 5), (0.3, 9), (math.nan, 100)])
def test_nothing_is_claimed_of_few_pairs(rho, n):
    assert interval(rho, n) == (-1.0, 1.0)


def test_more_pairs_say_more():
    widths = [high - low for low, high in (interval(0.3, n) for n in (10, 100, 1000))]
    assert widths == sorted(widths, reverse=True) and interval(1.0, 20) == (1.0, 1.0)
