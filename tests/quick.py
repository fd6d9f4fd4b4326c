"""`pytest -m quick`: the tests that a change is tried with first, in one place.

They reach every operation, cell, body, command and stub (`test_quick.py`), with fewer examples of
what Hypothesis draws.
"""

EXAMPLES = 4  # in place of 20, from which tests that cost more take a part
ROOMS = "tests/ops/", "tests/measure/", "tests/test_package.py"
BUT = "degenerate_sizes", "planted"  # which cost more than they add
COMMANDS = {  # command -> a test that runs it
    "compare": "cli/test_text_commands.py::test_compare_prints_a_table_a_sentence_and_a_record",
    "translate": "cli/test_translate_command.py::test_a_file_of_pairs_gives_a_table_figures_and",
    "train": "cli/test_text_commands.py::test_train_says_what_the_saved_model_gives",
    "evaluate": "cli/test_text_commands.py::test_a_sentence_is_the_product_of_its_words",
    "sample": "cli/test_text_commands.py::test_a_sample_follows_its_seed_and_goes_on_from",
    "check": "cli/test_check.py::test_a_planted_bug_exits_with_1_and_names_the_cause",
    "params": "cli/test_params_command.py::test_a_file_is_counted_as_its_model",
    "reproduce": "cli/test_reproduce.py::test_rows_of_the_augmented_loss_alone",
    "similarity": "cli/test_similarity_command.py::test_the_nearest_words_are_named",
    "vectors": "cli/test_vectors_command.py::test_neighbours_and_analogies",
    "convert": "interchange/test_files_of_others.py::test_a_file_for_pytorch_comes_back_whole",
    "predict": "cli/test_predict.py::test_a_text_is_told_its_overlap",
    "study": "cli/test_predict.py::test_a_study_leaves_its_table",
    "my-model": "cli/test_course_commands.py::test_who_has_written_nothing",
    "handouts": "cli/test_course_commands.py::test_handouts_hold_no_answers",
    "lesson": "cli/test_lesson_command.py::test_the_list_gives_title_question_and_times",
    "exercise": "cli/test_exercise_command.py::test_a_stub_exits_1_and_says_so",
    "grade": "course/test_class.py::test_bad_input_of_grade_is_one_sentence",
}
OTHERS = (
    "lessons/test_exercises_are_told_apart.py::test_every_stub_fails_and_names_its_exercise",
    "models/test_bodies.py::test_every_gradient_and_both_paths_pass_the_check",
    "models/test_bodies.py::test_the_tied_gradient", "models/test_bodies.py::test_the_loss_is",
    "models/test_bodies.py::test_untied", "models/test_bodies.py::test_gradients_have_the_keys",
    "models/test_against_equations.py",
    "models/test_transformer.py::test_the_loss_is_the_papers",
    "files/test_checkpoint.py::test_a_model", "training/test_optimizers.py", "text/test_bpe.py",
)  # fmt: skip


def is_quick(nodeid):
    """Whether a test is one of them."""
    if nodeid.startswith(ROOMS):
        return not any(word in nodeid for word in BUT)
    chosen = tuple(f"tests/{name}" for name in (*COMMANDS.values(), *OTHERS))
    return nodeid.startswith(chosen)
