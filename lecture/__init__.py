"""The course behind the lesson: report, errors, settings, records, and five groups of rooms.

In a checkout the lesson's own files (attention_np, tiny_gpt, pretrain_world, console, cli,
demos) lie beside this folder; in a wheel they lie inside it, so that nothing of ours is
loose in site-packages.  TOP is where they are.  It stands first on sys.path, so that
another installed package called `console` or `demos` is never found instead of ours.
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_INSIDE = os.path.join(_HERE, "_top")               # exists in a wheel only
TOP = _INSIDE if os.path.isdir(_INSIDE) else os.path.dirname(_HERE)

if sys.path[:1] != [TOP]:
    sys.path.insert(0, TOP)
