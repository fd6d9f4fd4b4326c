"""Text: corpora, vocabularies, batches, subwords, pretrained vectors."""
