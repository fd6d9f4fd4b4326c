"""Wrong answers to lesson 16. Docstring: the exercise, and what the message must say."""


def names_of(encoder, decoder, output, tying, together):
    if tying == "three-way":
        return {"E": together(encoder, decoder, output)}
    if tying == "decoder":
        return {"E_source": encoder, "E": together(0, decoder, output)}
    return {"E_source": encoder, "E_target": decoder, "E_out": output}


def decoder_only_as_before(encoder, decoder, output, tying):
    """collected: three-way, E: the encoder's use is missing"""
    return names_of(encoder, decoder, output, tying, lambda _, b, c: b + c)


def mean_of_uses(encoder, decoder, output, tying):
    """collected: decoder, E: this is the mean of two uses"""
    return names_of(encoder, decoder, output, tying, lambda a, b, c: (a + b + c) / 2)


def output_wins(encoder, decoder, output, tying):
    """collected: decoder, E: only the output's use is there"""
    return names_of(encoder, decoder, output, tying, lambda _a, _b, c: c)


def encoder_everywhere(encoder, decoder, output, tying):
    """collected: decoder, E: the encoder's use is here too"""
    found = names_of(encoder, decoder, output, tying, lambda a, b, c: a + b + c)
    return found | {"E": encoder + decoder + output} if tying == "decoder" else found


def swapped(encoder, decoder, output, tying):
    """collected: none, E_source: only the decoder's use is there"""
    return names_of(decoder, encoder, output, tying, lambda a, b, c: a + b + c)


def always_one(encoder, decoder, output, tying):
    """collected: with tying="none" the matrices are E_out, E_source, E_target, and you name E"""
    return {"E": encoder + decoder + output}


def a_list(encoder, decoder, output, tying):
    """collected: it must return a dict of name -> gradient, and returns list"""
    return [encoder, decoder, output]


def agreeing(source_words, target_words):
    """clashes: that counts the ids that agree"""
    return sum(a == b for a, b in zip(source_words, target_words, strict=False))


def longer_tail_too(source_words, target_words):
    """clashes: an id that only one list has cannot clash"""
    longer = max(len(source_words), len(target_words))
    same = sum(a == b for a, b in zip(source_words, target_words, strict=False))
    return longer - same


def words_not_ids(source_words, target_words):
    """clashes: that counts words"""
    return len(set(source_words) ^ set(target_words))


def two_in_a_row(source_words, target_words):
    """one_dictionary: 'table' is in both lists: was it counted twice?"""
    return {word: i for i, word in enumerate(source_words + target_words)}


def each_from_zero(source_words, target_words):
    """one_dictionary: two words would share a row"""
    return {word: i for words in (target_words, source_words) for i, word in enumerate(words)}


def from_one(source_words, target_words):
    """one_dictionary: the ids count from 1"""
    return {word: i for i, word in enumerate(sorted({*source_words, *target_words}), start=1)}


def source_alone(source_words, target_words):
    """one_dictionary: the word 'chat' has no id"""
    return {word: i for i, word in enumerate(source_words)}
