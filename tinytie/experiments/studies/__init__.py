"""Questions that the papers on tying leave open, each asked of small models with several seeds."""

from tinytie.experiments.studies import between, cone, dial, foretell
from tinytie.experiments.studies.study import Study

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (dial.STUDY, cone.STUDY, foretell.STUDY, foretell.LONGER, between.STUDY)
}
