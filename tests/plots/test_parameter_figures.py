"""The figures of parameters: they show the numbers they are given, under labelled axes."""

import pytest

from tinytie import RNNLM, count_parameters
from tinytie.measure.known_models import KNOWN_MODELS
from tinytie.plots.parameters import LABELLED, parts_of_a_model, share_of_the_token_matrix


def test_the_share_of_every_known_model_is_a_point_of_the_figure(tmp_path):
    figure = share_of_the_token_matrix(KNOWN_MODELS)
    (axes,) = figure.axes
    points = {
        (float(x), round(float(y), 6))
        for line in axes.lines
        for x, y in zip(*line.get_data(), strict=True)
    }
    assert points == {(m.total, round(100 * m.share, 6)) for m in KNOWN_MODELS}
    assert {text.get_text() for text in axes.texts} == set(LABELLED)
    assert set(LABELLED) <= {model.name for model in KNOWN_MODELS}
    assert "parameters" in axes.get_xlabel()
    assert "%" in axes.get_ylabel()
    figure.savefig(tmp_path / "known.png")
    assert (tmp_path / "known.png").stat().st_size > 10_000


@pytest.mark.parametrize("tied", [True, False])
def test_the_bars_are_as_long_as_the_counts(tied):
    count = count_parameters(RNNLM(50, 4, tied=tied, rng=0))
    figure = parts_of_a_model(count, "a model")
    (axes,) = figure.axes
    ends = sorted(patch.get_x() + patch.get_width() for patch in axes.patches)
    both = 2 * 50 * 4
    expected = [both, count["embedding"], count["without_tying"], count["total"]]
    assert ends == sorted(expected)
    assert ("tying saves 200" if tied else "nothing is saved") in figure.get_suptitle()
