"""Numbers in words, English and French, by rule: a small translation task with endless examples.

English without "and": one hundred twenty-one. French as in France, in the traditional spelling:
hyphens below a hundred, but "et" before un and onze; quatre-vingts and cents take their s only
at the end of the number, and mille never takes one.
"""

import operator

import numpy as np

LIMIT = 1_000_000

ENGLISH = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
]  # fmt: skip
ENGLISH_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

FRENCH = [
    "zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze",
    "douze", "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf",
]  # fmt: skip
FRENCH_TENS = {
    20: "vingt", 30: "trente", 40: "quarante", 50: "cinquante", 60: "soixante", 80: "quatre-vingt",
}  # fmt: skip


def english(n: int) -> str:
    """n in English words, 0 <= n < 1,000,000."""
    thousands, rest = divmod(checked(n), 1000)
    if not thousands:
        return english_below_1000(rest)
    return joined(f"{english_below_1000(thousands)} thousand", rest, english_below_1000)


def english_below_1000(n):
    hundreds, rest = divmod(n, 100)
    if not hundreds:
        return english_below_100(rest)
    return joined(f"{ENGLISH[hundreds]} hundred", rest, english_below_100)


def english_below_100(n):
    if n < 20:
        return ENGLISH[n]
    tens, unit = divmod(n, 10)
    return ENGLISH_TENS[tens - 2] + (f"-{ENGLISH[unit]}" if unit else "")


def french(n: int) -> str:
    """n in French words, 0 <= n < 1,000,000."""
    thousands, rest = divmod(checked(n), 1000)
    if not thousands:
        return french_below_1000(rest)
    head = "mille" if thousands == 1 else f"{french_below_1000(thousands, last=False)} mille"
    return joined(head, rest, french_below_1000)


def french_below_1000(n, last=True):
    """`last`: the number ends here, and cents and quatre-vingts may take their s."""
    hundreds, rest = divmod(n, 100)
    if not hundreds:
        return french_below_100(rest, last)
    head = "cent" if hundreds == 1 else f"{FRENCH[hundreds]} cent"
    if not rest:
        return head + ("s" if hundreds > 1 and last else "")
    return f"{head} {french_below_100(rest, last)}"


def french_below_100(n, last=True):
    """Soixante goes on to 79 and quatre-vingt to 99, each with the words up to nineteen."""
    if n < 20:
        return FRENCH[n]
    tens = max(ten for ten in FRENCH_TENS if ten <= n)
    unit = n - tens
    if not unit:
        return FRENCH_TENS[tens] + ("s" if tens == 80 and last else "")
    link = " et " if unit in (1, 11) and tens != 80 else "-"
    return FRENCH_TENS[tens] + link + FRENCH[unit]


def joined(head, rest, words):
    """The larger part, and the words of what is left, if anything is."""
    return f"{head} {words(rest)}" if rest else head


def checked(n):
    """A whole number that the rules cover."""
    n = operator.index(n)
    if not 0 <= n < LIMIT:
        raise ValueError(f"the rules cover 0 … {LIMIT - 1:,}, got {n}")
    return n


def number_pairs(n: int, rng: np.random.Generator | int | None = None) -> list[tuple[str, str]]:
    """n different numbers as (English, French), short and long ones alike, in random order.

    The number of digits is drawn first, 1 to 6, then the digits; a number drawn again is skipped.
    """
    if not 0 < n <= LIMIT // 2:
        raise ValueError(f"the number of pairs must be in 1 … {LIMIT // 2:,}, got {n}")
    rng = np.random.default_rng(rng)
    numbers: dict[int, None] = {}
    while len(numbers) < n:
        powers = 10 ** rng.integers(1, 7, n)
        numbers |= dict.fromkeys(rng.integers(powers).tolist())
    return [(english(i), french(i)) for i in list(numbers)[:n]]
