"""Numbers in words: tables for every rule of both languages, and no two numbers alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytie.text.numbers import english, french, number_pairs

TABLE = [
    (0, "zero", "zéro"),
    (1, "one", "un"),
    (16, "sixteen", "seize"),
    (17, "seventeen", "dix-sept"),
    (20, "twenty", "vingt"),
    (21, "twenty-one", "vingt et un"),
    (22, "twenty-two", "vingt-deux"),
    (31, "thirty-one", "trente et un"),
    (60, "sixty", "soixante"),
    (61, "sixty-one", "soixante et un"),
    (69, "sixty-nine", "soixante-neuf"),
    (70, "seventy", "soixante-dix"),
    (71, "seventy-one", "soixante et onze"),
    (72, "seventy-two", "soixante-douze"),
    (77, "seventy-seven", "soixante-dix-sept"),
    (80, "eighty", "quatre-vingts"),
    (81, "eighty-one", "quatre-vingt-un"),
    (89, "eighty-nine", "quatre-vingt-neuf"),
    (90, "ninety", "quatre-vingt-dix"),
    (91, "ninety-one", "quatre-vingt-onze"),
    (99, "ninety-nine", "quatre-vingt-dix-neuf"),
    (100, "one hundred", "cent"),
    (101, "one hundred one", "cent un"),
    (121, "one hundred twenty-one", "cent vingt et un"),
    (180, "one hundred eighty", "cent quatre-vingts"),
    (200, "two hundred", "deux cents"),
    (202, "two hundred two", "deux cent deux"),
    (280, "two hundred eighty", "deux cent quatre-vingts"),
    (999, "nine hundred ninety-nine", "neuf cent quatre-vingt-dix-neuf"),
    (1000, "one thousand", "mille"),
    (1001, "one thousand one", "mille un"),
    (1100, "one thousand one hundred", "mille cent"),
    (1200, "one thousand two hundred", "mille deux cents"),
    (2000, "two thousand", "deux mille"),
    (21_000, "twenty-one thousand", "vingt et un mille"),
    (71_071, "seventy-one thousand seventy-one", "soixante et onze mille soixante et onze"),
    (80_000, "eighty thousand", "quatre-vingt mille"),
    (80_080, "eighty thousand eighty", "quatre-vingt mille quatre-vingts"),
    (100_000, "one hundred thousand", "cent mille"),
    (200_000, "two hundred thousand", "deux cent mille"),
    (200_200, "two hundred thousand two hundred", "deux cent mille deux cents"),
    (280_000, "two hundred eighty thousand", "deux cent quatre-vingt mille"),
    (
        999_999,
        "nine hundred ninety-nine thousand nine hundred ninety-nine",
        "neuf cent quatre-vingt-dix-neuf mille neuf cent quatre-vingt-dix-neuf",
    ),
]


@pytest.mark.parametrize(("n", "in_english", "in_french"), TABLE)
def test_the_words_of_a_number(n, in_english, in_french):
    assert english(n) == in_english
    assert french(n) == in_french


def test_no_two_numbers_share_their_words():
    some = [*range(3000), *range(3000, 1_000_000, 97)]
    for words in (english, french):
        assert len({words(n) for n in some}) == len(some)


@given(st.integers(1, 999_999))
def test_mille_never_takes_an_s_and_cents_ends_the_number_or_nothing(n):
    words = french(n).replace("-", " ").split()
    assert "milles" not in words
    for plural in ("cents", "vingts"):
        assert plural not in words[:-1]


@pytest.mark.parametrize("n", [-1, 1_000_000])
def test_a_number_beyond_the_rules_is_refused(n):
    for words in (english, french):
        with pytest.raises(ValueError, match="the rules cover"):
            words(n)


def test_the_pairs_are_different_and_follow_from_the_seed():
    pairs = number_pairs(500, rng=3)
    assert len(set(pairs)) == 500
    assert pairs == number_pairs(500, rng=3)
    assert pairs != number_pairs(500, rng=4)
    assert any("thousand" not in source for source, _ in pairs)
    with pytest.raises(ValueError, match="number of pairs must be in"):
        number_pairs(0)
