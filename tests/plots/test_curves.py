"""The learning curves: every seed is drawn, axes say what they show."""

import io

from tinytie.plots.curves import learning_curves

TRAIN = {"untied": [[300, 90, 50], [310, 95]], "tied": [[320, 100, 60], [330, 110, 70]]}
VALID = {"untied": [[200, 80, 70], [210, 85]], "tied": [[220, 90, 75], [230, 95, 80]]}


def drawn(floor=None):
    figure = learning_curves(TRAIN, VALID, "a title", floor)
    figure.savefig(io.BytesIO(), format="png")
    return figure


def test_each_panel_has_every_seed_and_the_mean_of_the_epochs_in_common():
    for ax, curves in zip(drawn().axes, (TRAIN, VALID), strict=True):
        lines = [list(line.get_ydata()) for line in ax.lines]
        assert lines[:2] == curves["untied"] and lines[3:5] == curves["tied"]
        assert lines[2] == [sum(pair) / 2 for pair in zip(*curves["untied"], strict=False)]


def test_axes_are_labelled_and_every_arm_has_its_marker():
    figure = drawn()
    train, valid = figure.axes
    assert "perplexity" in train.get_ylabel() and train.get_xlabel() == "epoch"
    assert [t.get_text() for t in valid.get_legend().get_texts()] == ["untied", "tied"]
    markers = {line.get_marker() for line in valid.lines} - {"None"}
    assert len(markers) == 2
    assert figure.get_suptitle() == "a title"


def test_without_a_title_the_figure_says_what_its_validation_panel_shows():
    title = learning_curves(TRAIN, VALID).get_suptitle()
    assert title == "Lowest on validation text: untied 77.5, tied 77.5"


def test_one_epoch_is_one_marker_and_one_tick():
    figure = learning_curves({"a": [[30]]}, {"a": [[20]]}, "a title")
    figure.savefig(io.BytesIO(), format="png")
    low, high = figure.axes[0].get_xlim()
    assert [tick for tick in figure.axes[0].get_xticks() if low < tick < high] == [1]


def test_a_known_floor_is_drawn():
    labels = [t.get_text() for t in drawn(floor=40).axes[1].get_legend().get_texts()]
    assert "best possible" in labels
