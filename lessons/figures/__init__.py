"""The figures of the lessons: one function a figure, each with one message."""

from figures.between import family_of_ties, spans_over_training
from figures.cells import cell_and_what_it_keeps, gradient_by_step, gradient_of_cells
from figures.checks import difference_errors, errors_by_parameter, total_and_partials
from figures.common import save_figure
from figures.forms import asked_again
from figures.matrices import lookup_gradient, one_matrix_two_jobs, two_paths
from figures.rows import maps_of_rows
from figures.scores import softmax_gradient
from figures.training import paths_by_frequency, share_of_structure, training_curves
from figures.transformer import where_attention_looks
from figures.translator import three_tyings
from figures.widths import perplexity_by_width

__all__ = [
    "asked_again",
    "cell_and_what_it_keeps",
    "difference_errors",
    "errors_by_parameter",
    "family_of_ties",
    "gradient_by_step",
    "gradient_of_cells",
    "lookup_gradient",
    "maps_of_rows",
    "one_matrix_two_jobs",
    "paths_by_frequency",
    "perplexity_by_width",
    "save_figure",
    "share_of_structure",
    "softmax_gradient",
    "spans_over_training",
    "three_tyings",
    "total_and_partials",
    "training_curves",
    "two_paths",
    "where_attention_looks",
]
