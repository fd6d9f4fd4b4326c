"""Questions that the papers on tying leave open, each asked of small models with several seeds."""

from tinytie.experiments.studies import between, cone, dial, foretell

STUDIES = {module.STUDY.name: module.STUDY for module in (dial, cone, foretell, between)}
