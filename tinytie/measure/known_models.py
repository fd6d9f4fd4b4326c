"""Well-known models: parameters from their published sizes, and the share of the token matrix.

Nothing here is looked up: every count follows from a formula over the sizes in the source named
beside it. V vocabulary, d width, L layers; a layer norm has 2d numbers.
"""

from typing import NamedTuple

from tinytie.measure.parameters import numbers
from tinytie.models.rnn_lm import RNNLM

BYTES = 4  # of a number in float32


class KnownModel(NamedTuple):
    """A published model with `uses` places for one V × d matrix, and `other` parameters."""

    name: str
    vocab_size: int
    width: int
    other: int
    tied: bool
    source: str
    uses: int = 2  # lookup and scores; an encoder-decoder has three

    @property
    def matrix(self) -> int:
        """Numbers in one token matrix, V · d."""
        return self.vocab_size * self.width

    @property
    def total(self) -> int:
        """Parameters as published: one matrix where tied, one a use where not."""
        return self.other + self.matrix * (1 if self.tied else self.uses)

    @property
    def share(self) -> float:
        """What part of all parameters one token matrix is."""
        return self.matrix / self.total

    @property
    def savings(self) -> int:
        """Numbers that tying saves here, or would save."""
        return (self.uses - 1) * self.matrix


def gpt2(name, d, L):
    """Positions, then a layer: four d × d of attention, two d × 4d, biases and two norms."""
    layer = 12 * d * d + 13 * d
    other = 1024 * d + L * layer + 2 * d
    return KnownModel(name, 50_257, d, other, True, "Radford et al. 2019, table 2")


def bert(name, d, L):
    """With its masked-word head: positions, segments, norm, layers, a d × d layer, norm, bias."""
    V = 30_522
    layer = 12 * d * d + 13 * d
    head = d * d + d + 2 * d + V
    other = (512 + 2) * d + 2 * d + L * layer + head
    return KnownModel(name, V, d, other, True, "Devlin et al. 2019, as released")


def t5(name, d, ff, L, heads):
    """No biases, norms of d, 32 relative positions a head on each side; L layers on each side."""
    encoder = L * (4 * d * d + 2 * d * ff + 2 * d)
    decoder = L * (8 * d * d + 2 * d * ff + 3 * d)
    other = encoder + decoder + 2 * (32 * heads + d)
    return KnownModel(name, 32_128, d, other, True, "Raffel et al. 2020, as released", uses=3)


def llama(name, d, ff, L):
    """No biases, norms of d, three matrices in each feed-forward layer."""
    other = L * (4 * d * d + 3 * d * ff + 2 * d) + d
    return KnownModel(name, 32_000, d, other, False, "Touvron et al. 2023, as released")


def lstm(name, source, H, *, tied, projection=False, output_bias=True):
    """Two layers of H over the 10,000 words of the Penn Treebank, one bias a gate."""
    model = RNNLM.sketch(
        10_000, H, cell="lstm", n_layers=2, tied=tied, projection=projection,
        output_bias=output_bias,
    )  # fmt: skip
    matrices = 10_000 * H * (1 if tied else 2)
    return KnownModel(name, 10_000, H, numbers(model.shapes) - matrices, tied, source)


def awd_lstm(name, d, H):
    """Layers d → H → H → d, each with the two biases a gate of PyTorch, and an output bias."""
    layers = [(d, H), (H, H), (H, d)]
    other = sum(4 * h * (below + h + 2) for below, h in layers) + 10_000
    return KnownModel(name, 10_000, d, other, True, "Merity et al. 2018, as released")


PRESS = "Press and Wolf 2017, PTB"
INAN = "Inan et al. 2017, PTB"

KNOWN_MODELS = [
    lstm("Press & Wolf small", PRESS, 200, tied=False),
    lstm("Press & Wolf small + WT", PRESS, 200, tied=True),
    lstm("Press & Wolf small + PR", PRESS, 200, tied=False, projection=True),
    lstm("Press & Wolf small + WT + PR", PRESS, 200, tied=True, projection=True),
    lstm("Press & Wolf large", PRESS, 1500, tied=False),
    lstm("Press & Wolf large + WT", PRESS, 1500, tied=True),
    lstm("Inan et al. 200 + RE", INAN, 200, tied=True, output_bias=False),
    lstm("Inan et al. 650 + RE", INAN, 650, tied=True, output_bias=False),
    awd_lstm("AWD-LSTM", 400, 1150),
    t5("T5 small", 512, 2048, 6, 8),
    bert("BERT base", 768, 12),
    gpt2("GPT-2 small", 768, 12),
    gpt2("GPT-2 medium", 1024, 24),
    gpt2("GPT-2 large", 1280, 36),
    gpt2("GPT-2 XL", 1600, 48),
    llama("LLaMA-7B", 4096, 11_008, 32),
]
