"""Lesson 16: reference answers."""


def collected(dE_encoder, dE_decoder, dE_output, tying):
    if tying == "three-way":
        return {"E": dE_encoder + dE_decoder + dE_output}
    if tying == "decoder":
        return {"E_source": dE_encoder, "E": dE_decoder + dE_output}
    return {"E_source": dE_encoder, "E_target": dE_decoder, "E_out": dE_output}


def clashes(source_words, target_words):
    return sum(a != b for a, b in zip(source_words, target_words, strict=False))


def one_dictionary(source_words, target_words):
    words = dict.fromkeys([*source_words, *target_words])  # each once, in order
    return {word: i for i, word in enumerate(words)}
