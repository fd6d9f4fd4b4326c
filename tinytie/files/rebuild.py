"""From the config in a checkpoint to a model that fits the tensors in it."""

import json
from typing import Any

from tinytie.errors import CheckpointError, quoted
from tinytie.models.bodies import BODIES
from tinytie.models.translator import Translator

CLASSES: list[Any] = [*(kind.model for kind in BODIES.values()), Translator]
MODELS = {cls.__name__: cls for cls in CLASSES}  # every class that can be saved, by its name
LATER = {"input_matrix", "bias"}  # options that files of the first version do not hold


def built(name, config, tensors):
    """A model of this config, whose shapes were compared with the file's before it had arrays.

    Every constructor checks its options and then asks for `self.shapes` to make its arrays; here
    that is where it stops if the file does not hold them.
    """
    if name not in MODELS:
        raise CheckpointError(f"its model is {quoted(name)}, none of {', '.join(MODELS)}")
    cls = MODELS[name]
    if not isinstance(config, dict) or (config.keys() ^ {*cls.OPTIONS, "dtype"}) - LATER:
        raise CheckpointError(f"its config does not hold the options of {name}")
    if config["dtype"] not in ("float32", "float64"):
        raise CheckpointError(f"its dtype is {quoted(config['dtype'])}")
    for option, value in config.items():
        if "layers" in option and type(value) is int and value > len(tensors):
            raise CheckpointError(f"{option} is {value}, but it holds {len(tensors)} tensors")

    def compared(model):
        check_shapes(cls.shapes.__get__(model), config, tensors)
        return cls.shapes.__get__(model)

    options = {key: tuple(v) if isinstance(v, list) else v for key, v in config.items()}
    try:
        model = type(name, (cls,), {"shapes": property(compared)})(**options, rng=0)
    except CheckpointError:
        raise
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        raise CheckpointError(f"its config makes no {name}: {error}") from None
    model.__class__ = cls
    if json.loads(json.dumps({key: model.config[key] for key in config})) != config:
        raise CheckpointError(f"its config is not one that {name} writes")
    return model


def check_shapes(shapes, config, tensors):
    """All parameters of the config are in the file, with their shape and dtype."""
    for name, shape in shapes.items():
        if name not in tensors:
            raise CheckpointError(
                "missing; a file is loaded with the tying that it was saved with, and "
                "tie_weights or untie_weights changes a model afterwards", name,
            )  # fmt: skip
        found = tensors[name]
        if found.shape != shape or found.dtype.name != config["dtype"]:
            raise CheckpointError(
                f"is {found.dtype.name} of shape {found.shape}, but the config makes it "
                f"{quoted(config['dtype'])} of shape {shape}", name,
            )  # fmt: skip
