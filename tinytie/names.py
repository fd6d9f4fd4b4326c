"""What `tinytie.…` offers."""

from tinytie.errors import CheckpointError
from tinytie.files.checkpoint import Checkpoint, load, load_checkpoint, save
from tinytie.gradcheck import (
    assert_gradients,
    check_gradients,
    check_model,
    check_operation,
    check_vjp,
)
from tinytie.interchange.pytorch import from_torch, to_torch
from tinytie.measure.parameters import count_parameters
from tinytie.models.feedforward_lm import FeedForwardLM
from tinytie.models.masks import Dropout, Masks
from tinytie.models.resize import resize_vocabulary
from tinytie.models.rnn_lm import RNNLM
from tinytie.models.transformer_lm import TransformerLM
from tinytie.models.translator import Translator
from tinytie.models.tying import tie_weights, untie_weights
from tinytie.ops.cells import LSTMState

__all__ = [
    "RNNLM",
    "Checkpoint",
    "CheckpointError",
    "Dropout",
    "FeedForwardLM",
    "LSTMState",
    "Masks",
    "TransformerLM",
    "Translator",
    "assert_gradients",
    "check_gradients",
    "check_model",
    "check_operation",
    "check_vjp",
    "count_parameters",
    "from_torch",
    "load",
    "load_checkpoint",
    "resize_vocabulary",
    "save",
    "tie_weights",
    "to_torch",
    "untie_weights",
]
