"""Demo 12: no row of the notes belongs to it alone.

C-029 (positions are a must), C-031 (two layers, seen from these data) and C-040 (no
repeats, hence no induction head) stand in demo 04 with what is measured by hand; their
trained twins are claims here: parts 3, 6 and 5.
"""

from lecture.report import Erratum

ERRATA: dict[str, tuple[Erratum, ...]] = {}
