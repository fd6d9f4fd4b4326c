"""tinytie: weight tying, and the gradients behind it, in plain NumPy."""

from tinytie.gradcheck import check_gradients, check_model, check_operation
from tinytie.models.masks import Dropout, Masks
from tinytie.models.rnn_lm import RNNLM
from tinytie.models.translator import Translator
from tinytie.models.tying import tie_weights, untie_weights
from tinytie.ops.lstm import LSTMState

__version__ = "0.1.0"

__all__ = [
    "RNNLM",
    "Dropout",
    "LSTMState",
    "Masks",
    "Translator",
    "check_gradients",
    "check_model",
    "check_operation",
    "tie_weights",
    "untie_weights",
]
