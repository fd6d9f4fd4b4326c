"""Hypothesis profiles: quick for people, ci without surprises, long for a nightly look."""

import os

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow]

settings.register_profile("quick", max_examples=20, deadline=None, suppress_health_check=SLOW)
settings.register_profile("ci", settings.get_profile("quick"), derandomize=True)
settings.register_profile("long", settings.get_profile("quick"), max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
