"""`tinytie predict`: what a text's bigrams say about tying, before any training."""

from tinytie.cli.files import file_name
from tinytie.experiments.studies.foretell import MEASURED
from tinytie.measure.sides import sides
from tinytie.text.corpora import file_corpus
from tinytie.text.tokenizers import TOKENIZERS

HELP = "what the text alone says about tying, before training, beside texts that were measured"
EXAMPLE = "tinytie predict my.txt"
NEAREST = 5


def add_arguments(parser):
    parser.add_argument("text", type=file_name, metavar="FILE", help="a text of your own")
    parser.add_argument(
        "--tokenizer", choices=TOKENIZERS, default="word", help="what a token is (word)"
    )


def run(args):
    corpus = file_corpus(args.text, tokenizer=args.tokenizer)
    found = sides(corpus.train)
    print(
        f"{len(corpus.train):,} tokens, {len(corpus.vocabulary):,} different. What a word follows "
        f"and what follows it share {found.overlap:.3f} of their {found.k} leading directions; "
        f"chance is {found.chance:.3f}. Beyond chance: {found.beyond_chance:.2f}."
    )
    nearest = sorted(MEASURED, key=lambda text: abs(text.beyond_chance - found.beyond_chance))
    print("The measured texts that are nearest to it, and what tying did there (nats a token):")
    for text in nearest[:NEAREST]:
        print(f"  {text.beyond_chance:.2f}  {text.name:32} {text.gap:+.2f}")
    print(
        "The less the sides share, the more tying costs: an order, found in small tanh models "
        "trained for a short time. It is no verdict: `tinytie compare --text FILE` is."
    )
    near = [text._asdict() for text in nearest[:NEAREST]]
    told = found._asdict() | {"beyond_chance": found.beyond_chance}
    return {"text": args.text, **told, "nearest": near}, 0
