"""Figures of what the token matrices weigh."""

from matplotlib.figure import Figure

from tinytie.measure.known_models import KnownModel
from tinytie.plots.style import GREY, TIED, UNTIED, house_style, new_figure

LABELLED = {  # name -> on which side of the marker it stands
    "Press & Wolf small": "right", "Press & Wolf small + WT": "right",
    "Press & Wolf large": "left", "Press & Wolf large + WT": "left", "AWD-LSTM": "left",
    "Inan et al. 650 + RE": "right", "T5 small": "right", "BERT base": "right",
    "GPT-2 small": "right", "GPT-2 medium": "right", "GPT-2 large": "right",
    "GPT-2 XL": "right", "LLaMA-7B": "right",
}  # fmt: skip

SIDES = {
    "left": ((-16, 0), "right", "center"),
    "right": ((16, 0), "left", "center"),
}


@house_style
def share_of_the_token_matrix(models: list[KnownModel]) -> Figure:
    """One token matrix as a share of all parameters, against the number of parameters."""
    figure, (axes,) = new_figure("The larger the model, the less there is to save by tying")
    looks = {True: (TIED, "o", "tied"), False: (UNTIED, "s", "not tied")}
    for tied, (color, marker, label) in looks.items():
        some = [model for model in models if model.tied == tied]
        totals, shares = [m.total for m in some], [100 * m.share for m in some]
        axes.plot(totals, shares, marker, color=color, markersize=18, label=label, zorder=3)
    for model in models:
        if model.name in LABELLED:
            name_beside(axes, model, LABELLED[model.name])
    axes.set_xscale("log")
    axes.set_xlim(1.2e6, 4e10)
    axes.set_ylim(0, 85)
    axes.set_xlabel("parameters of the whole model")
    axes.set_ylabel("one token matrix, % of the parameters")
    axes.grid(True, color="0.9")
    axes.legend()
    return figure


def name_beside(axes, model, side):
    """The model's name to the left or right of its marker."""
    shift, across, along = SIDES[side]
    axes.annotate(
        model.name, (model.total, 100 * model.share), shift, textcoords="offset points",
        ha=across, va=along, fontsize=18,
    )  # fmt: skip


@house_style
def parts_of_a_model(count: dict[str, int], name: str) -> Figure:
    """Two bars, the model and its untied twin: token matrices beside all the rest."""
    figure, (axes,) = new_figure(f"{name}: {saved_in_words(count)}")
    figure.texts[0].set_parse_math(False)  # a dollar sign is a dollar sign
    embedding = [count["without_tying"] - count["other"], count["embedding"]]
    rest = [count["other"]] * 2
    axes.barh([0, 1], embedding, color=TIED, hatch="//", edgecolor="white", label="token matrices")
    axes.barh([0, 1], rest, left=embedding, color=GREY, label="all the rest")
    axes.set_yticks([0, 1], ["without tying", "as it is"])
    axes.set_xlabel("parameters")
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlim(0, 1.05 * count["without_tying"])
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def saved_in_words(count):
    """What the two bars say."""
    if not count["savings"]:
        return "untied, nothing is saved"
    share = 100 * count["savings"] / count["without_tying"]
    return f"tying saves {count['savings']:,} parameters, {share:.0f} %"
