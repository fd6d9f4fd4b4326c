"""Figures, one function each; the only place that imports matplotlib."""

from tinytie.printable import escape_what_is_missing

escape_what_is_missing()  # every lesson draws; − and ŷ in its prints stop none on an old code page
