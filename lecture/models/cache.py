"""Where do a demo's trained weights come from, and how does it know they are right?

`load(recipe)` looks in order at what the command asked for (`--weights`), the file
shipped with the course, the user's cache, and at last trains now. A file counts only if
every check holds: the recipe's fingerprint, names, shapes, dtype, finite values and a
digest of the tensors. What fails is named in one line on stderr and the next place is
tried; nothing half read is ever used, and nothing read is ever executed: files are
safetensors, whose single metadata key holds JSON. (With more than one key the order of
the keys, and so the bytes of the file, differ from process to process.)

Left out: downloads, versions side by side, partial loading. Torch is imported only
when something has to be trained, filelock only then, safetensors only when a file is
read (weights_file) or written.
"""

from __future__ import annotations

import contextlib
import datetime
import errno
import hashlib
import importlib
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lecture import TOP
from lecture.errors import SetupProblem, shown, tell
from lecture.files import named, write_whole
from lecture.models import recipes, weights_file
from lecture.models.recipes import Recipe

# kind -> module with train(recipe, progress)
TRAINERS = {"gpt": "tiny_gpt", "seq2seq": "lecture.models.seq2seq_torch",
            "translate": "lecture.models.translate_torch"}
SHIPPED = Path(TOP, "demos", "weights")
META_KEY = "lecture"
LOCK_TIMEOUT = 900.0                  # seconds; far above the slowest training of the course

Tensors = dict[str, np.ndarray]


class Unusable(ValueError):
    """A weights file that must not be used; the message says what is wrong with it."""


class CannotTrain(SetupProblem):
    """No usable weights and no way to make them here (exit code 3)."""


@dataclass(frozen=True)
class Weights:
    """Tensors by name (read-only), how they came about, and where they were found.

    history: one dict a logged step ("step", "loss" in nats). digest: 64 hex digits of
    names, shapes and bytes. origin: "shipped", "cached", "trained" or "file". meta:
    the file's own record (recipe, vocabulary, versions, date).
    """

    tensors: Tensors
    history: list[dict[str, float]]
    digest: str
    origin: str
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass
class Policy:
    """What the command decides for the whole process.

    source: "auto", "cached" (pass over the shipped file), "fresh" (train, whatever is
    there) or the path of a weights file or of a folder of NAME.safetensors.
    progress(step, steps, name) is told of a training, say(line) of a notice.
    """

    source: str = "auto"
    seed: int | None = None              # of every model instead of the recipe's own
    progress: Callable[[int, int, str], None] | None = None
    say: Callable[[str], None] = tell


policy = Policy()


def set_policy(source: str | None = None,
               progress: Callable[[int, int, str], None] | None = None) -> None:
    """What `--weights` said (None: "auto"), and whom to tell of a training's steps."""
    policy.source, policy.progress = source or "auto", progress


@contextlib.contextmanager
def other_seed(seed: int | None) -> Iterator[None]:
    """Inside, every model is the one trained from this seed: would a claim survive?"""
    before, policy.seed = policy.seed, seed
    try:
        yield
    finally:
        policy.seed = before


_loaded: dict[tuple[str, str], Weights] = {}       # (fingerprint, source) -> weights
_said: set[str] = set()


def _notice(line: str) -> None:
    """Say a line once a process: five parts that load one model complain once."""
    if line not in _said:
        _said.add(line)
        policy.say("\n".join(map(shown, line.splitlines())))


def forget() -> None:
    """Drop what this process remembers: loaded weights and notices given."""
    _loaded.clear()
    _said.clear()


# --- the file ---------------------------------------------------------------------
def digest(tensors: Tensors) -> str:
    """sha256 over name, dtype, shape and bytes of each tensor, by name."""
    state = hashlib.sha256()
    for name in sorted(tensors):
        a = np.ascontiguousarray(tensors[name])
        state.update(f"{name} {a.dtype.str} {a.shape}\n".encode())
        state.update(a.tobytes())
    return state.hexdigest()


def versions() -> dict[str, str]:
    """Versions of what a training depends on; torch's only if it is loaded."""
    found = {"python": "{}.{}.{}".format(*sys.version_info[:3]),
             "numpy": np.__version__}
    if "torch" in sys.modules:
        found["torch"] = sys.modules["torch"].__version__
    return found


def trainer(recipe: Recipe) -> str:
    """The code that would train this recipe now, as 64 hex digits (`identity.trainer`)."""
    from lecture.models import identity

    return identity.trainer(recipe, TRAINERS[recipe.kind])


def made_now(recipe: Recipe) -> dict[str, Any]:
    """What a file or a record trained here and now says of its making."""
    from lecture.models import identity

    return {"versions": versions(), "date": datetime.date.today().isoformat(),
            "trainer": trainer(recipe), "machine": identity.machine()}


def to_bytes(recipe: Recipe, tensors: Tensors, history: list[dict[str, float]],
             made: dict[str, Any] | None = None) -> bytes:
    """The file's content. The same arguments give the same bytes in every process.

    made: as `made_now`, which is the default.
    """
    from safetensors.numpy import save

    meta = {"name": recipe.name, "fingerprint": recipes.fingerprint(recipe),
            "seed": recipe.seed, "recipe": recipes.description(recipe),
            "vocabulary": recipes.vocabulary(recipe), "history": history,
            "digest": digest(tensors), **(made or made_now(recipe))}
    flat = {name: np.ascontiguousarray(a) for name, a in tensors.items()}
    return save(flat, {META_KEY: recipes.canonical_json(meta)})


def read(path: Path, recipe: Recipe, origin: str, any_seed: bool = False) -> Weights:
    """The weights in a file, after every check; Unusable or OSError otherwise.

    `any_seed=True` accepts the same recipe from another seed. A file that was trained here
    or elsewhere must come from the trainer we have; what is shipped or named by a person
    need not (the manifest lists the trainers that reproduce what is shipped).
    """
    if not stat.S_ISREG(os.stat(path).st_mode):   # a pipe would wait for ever
        raise Unusable("it is not a plain file")
    try:
        tensors, record = weights_file.from_file(path)
    except weights_file.NotWhole as error:
        raise Unusable(f"not a whole safetensors file ({_one_line(error)})") from error
    return _checked(tensors, _meta(record), recipe, origin, any_seed)


def _meta(record: dict[str, str]) -> Any:
    """The JSON in a file's one metadata key."""
    try:
        return json.loads(record[META_KEY])
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise Unusable("its record is missing or unreadable") from error


def _checked(tensors: Tensors, meta: Any, recipe: Recipe, origin: str,
             any_seed: bool = False) -> Weights:
    """The tensors and the record of a file as Weights, after every check of `read`."""
    wanted = recipe
    try:
        if any_seed:
            wanted = recipes.with_seed(recipe, int(meta["seed"]))
        found, told, history = meta["fingerprint"], meta["digest"], meta["history"]
        words = meta["vocabulary"]
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Unusable("its record is missing or unreadable") from error
    if found != recipes.fingerprint(wanted):
        raise Unusable("it belongs to another recipe (model, world, data or training)")
    if words != recipes.vocabulary(wanted):
        raise Unusable("its vocabulary is not this model's: every id would be another word")
    _check_tensors(tensors, recipe.config.tensor_shapes())
    if digest(tensors) != told:
        raise Unusable("its tensors do not have the digest it names")
    if origin in ("cached", "trained") and meta.get("trainer") != trainer(recipe):
        raise Unusable("another version of the trainer made it")
    for a in tensors.values():
        a.setflags(write=False)
    return Weights(tensors, history, told, origin, meta)


def _check_tensors(tensors: Tensors, shapes: dict[str, tuple[int, ...]]) -> None:
    """Unusable unless names, shapes, dtype and finiteness are as they must be."""
    missing, extra = shapes.keys() - tensors.keys(), tensors.keys() - shapes.keys()
    if missing or extra:
        raise Unusable("its tensor names are not this model's (missing "
                       f"{min(missing, default='none')}, extra "
                       f"{min(extra, default='none')})")
    for name, shape in shapes.items():
        a = tensors[name]
        if a.shape != shape:
            raise Unusable(f"{name} has shape {a.shape}, not {shape}")
        if a.dtype != np.float32:
            raise Unusable(f"{name} is {a.dtype}, not float32")
        if not np.isfinite(a).all():
            raise Unusable(f"{name} holds values that are not finite")


def _one_line(error: BaseException) -> str:
    if isinstance(error, FileNotFoundError):      # safetensors' own has no strerror
        return os.strerror(errno.ENOENT)
    return (getattr(error, "strerror", None) or str(error)
            or type(error).__name__).splitlines()[0]


# --- the cache ----------------------------------------------------------------------
def cache_dir() -> Path | None:
    """Where trained weights are kept, None where no place can be named.

    LECTURE_CACHE_DIR, else "lecture" in XDG_CACHE_HOME (ignored when empty or
    relative, as its specification asks), else the user's cache folder of the system.
    Nothing is created, and whether one may write there shows when one does.
    """
    own = os.environ.get("LECTURE_CACHE_DIR")
    if own:
        try:
            return Path(own).expanduser().absolute()
        except RuntimeError:
            _notice(f"lecture: LECTURE_CACHE_DIR={own}: there is no such user's home\n"
                    "  going on without a cache; name a folder you may write to")
            return None
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(xdg):
        return Path(xdg) / "lecture"
    from platformdirs import user_cache_dir

    found = os.environ.pop("XDG_CACHE_HOME", None)    # platformdirs would take "./here"
    try:
        return Path(user_cache_dir("lecture", appauthor=False))
    except (RuntimeError, KeyError, OSError):     # no home that could be found
        return None
    finally:
        if found is not None:
            os.environ["XDG_CACHE_HOME"] = found


def cache_path(recipe: Recipe) -> Path | None:
    """The file of this very recipe in the cache; None as `cache_dir`."""
    folder, mark = cache_dir(), recipes.fingerprint(recipe)[:16]
    return None if folder is None else folder / f"{recipe.name}-{mark}.safetensors"


def cached_files() -> list[tuple[Path, int]]:
    """(path, bytes) of the weights in the cache, by name; OSError where one may not look."""
    folder = cache_dir()
    try:
        if folder is None or not os.listdir(folder):
            return []
        return [(path, path.stat().st_size) for path in sorted(folder.glob("*.safetensors"))]
    except (FileNotFoundError, NotADirectoryError):
        return []


def clear_cache() -> int:
    """Delete the cached weights, their locks and stray temporaries; count weights.

    Nothing else in the folder is touched. OSError when a file resists.
    """
    files, folder = cached_files(), cache_dir()
    for pattern in ("*.safetensors", "*.safetensors.lock", ".*.safetensors.*"):
        for path in folder.glob(pattern) if folder else ():
            path.unlink(missing_ok=True)
    return len(files)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the lock beside `path`; go on without where none can be had."""
    from filelock import FileLock, Timeout

    lock = FileLock(f"{path}.lock", timeout=LOCK_TIMEOUT)
    try:
        lock.acquire()
    except Timeout:
        _notice(f"lecture: another process has held {path.name} for {LOCK_TIMEOUT:.0f} "
                "s: training here as well")
    except (OSError, NotImplementedError):
        pass                                      # `_keep` will say why
    try:
        yield
    finally:
        lock.release()


def _place_for(recipe: Recipe) -> Path | None:
    """Where a recipe's weights are to be kept, its folder made; None, said once, if nowhere."""
    path, reason = cache_path(recipe), "this user has no home folder"
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            return path
    except OSError as error:
        reason = f"{cache_dir()}: {_one_line(error)}"
    _notice(f"lecture: going on without a cache ({reason})")
    return None


def _keep(path: Path, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        _notice(f"lecture: going on without a cache ({path.parent}: "
                f"{_one_line(error)})")


# --- load ---------------------------------------------------------------------------
def load(recipe: Recipe, source: str | None = None) -> Weights:
    """The weights of a recipe from the first place that has them whole.

    source: as Policy.source, which is the default. CannotTrain when no file will do
    and training is impossible here. A second call in a process returns the same
    object.
    """
    source = source or policy.source
    if policy.seed is not None:
        recipe = recipes.with_seed(recipe, policy.seed)
    key = recipes.fingerprint(recipe), source
    if key not in _loaded:
        _loaded[key] = _load(recipe, source)
    return _loaded[key]


def _load(recipe: Recipe, source: str) -> Weights:
    return _find(recipe, source) or train(recipe, again=source == "fresh")


def _find(recipe: Recipe, source: str) -> Weights | None:
    found = None
    if source not in ("auto", "cached", "fresh"):
        path = named(source)
        path = path / f"{recipe.name}.safetensors" if os.path.isdir(path) else path
        if os.path.exists(path) and not os.path.isfile(path):
            raise SetupProblem(f"--weights {path} is not a plain file",
                               "give a .safetensors file, or a folder of them")
        found = _try(path, recipe, "file", any_seed=True)
    if found is None and source not in ("cached", "fresh"):
        found = _try(SHIPPED / f"{recipe.name}.safetensors", recipe, "shipped")
    if found is None and source != "fresh":
        kept = cache_path(recipe)
        found = _try(kept, recipe, "cached") if kept is not None else None
    return found


def at_hand(recipe: Recipe) -> bool:
    """Whether `load` would find these weights without training."""
    key = recipes.fingerprint(recipe), policy.source
    if key not in _loaded:
        found = _find(recipe, policy.source)
        if found is None:
            return False
        _loaded[key] = found
    return True


def _try(path: Path, recipe: Recipe, origin: str,
         any_seed: bool = False) -> Weights | None:
    """`read`, or None; says why, unless the file is simply not there."""
    try:
        return read(path, recipe, origin, any_seed)
    except (FileNotFoundError, NotADirectoryError) as error:
        reason = _one_line(error) if origin == "file" else ""
    except (OSError, Unusable) as error:
        # a shipped file belongs to the registered recipe, not to its other seeds
        own = recipes.RECIPES.get(recipe.name) == recipe
        reason = _one_line(error) if own or origin != "shipped" else ""
    if reason:
        _notice(f"lecture: {origin} weights {path} not used: {reason}")
    return None


def train(recipe: Recipe, again: bool = True) -> Weights:
    """Train a recipe now and keep the result in the cache.

    `again=False`: if another process trained it while this one waited for its turn,
    its weights are taken. CannotTrain when the trainer cannot be imported.
    """
    path = _place_for(recipe)
    if path is None:
        return make(recipe)[0]
    with _alone(path):
        if not again:
            found = _try(path, recipe, "cached")
            if found is not None:
                return found
        weights, content = make(recipe)
        _keep(path, content)
    return weights


def make(recipe: Recipe) -> tuple[Weights, bytes]:
    """Train a recipe now and keep nothing: the weights, and a file's content."""
    try:
        trainer = importlib.import_module(TRAINERS[recipe.kind])
    except ImportError as error:
        raise CannotTrain(
            f"the weights of {recipe.name} must be trained, and {error.name or 'torch'} is "
            "missing", "install it: pip install -c constraints.txt -e .") from error

    def told(step: int, steps: int, loss: float) -> None:
        if policy.progress is not None:
            policy.progress(step, steps, recipe.name)

    tensors, history = trainer.train(recipe, told)
    _check_tensors(tensors, recipe.config.tensor_shapes())
    content = to_bytes(recipe, tensors, history)
    for a in tensors.values():
        a.setflags(write=False)
    made = Weights(tensors, history, digest(tensors), "trained", meta_of(content))
    return made, content


def packed(recipe: Recipe, weights: Weights) -> bytes:
    """The content of a file of these weights, to send to another machine."""
    told = ("versions", "date", "trainer", "machine")
    return to_bytes(recipe, weights.tensors, weights.history,
                    {key: weights.meta[key] for key in told if key in weights.meta})


def receive(recipe: Recipe, content: bytes) -> None:
    """Take weights that were trained elsewhere: for this process, and into the cache.

    Every check of a file is made. Unusable when one fails: the other side runs other
    code, or the bytes were changed on their way.
    """
    try:
        tensors, record = weights_file.from_bytes(content)
    except weights_file.NotWhole as error:
        raise Unusable(f"not a whole safetensors file ({_one_line(error)})") from error
    meta = _meta(record)
    _loaded[recipes.fingerprint(recipe), policy.source] = _checked(tensors, meta, recipe, "trained")
    kept = _place_for(recipe)
    if kept is not None and not (os.path.isfile(kept) and kept.read_bytes() == content):
        _keep(kept, content)                      # a damaged file there is replaced


def meta_of(content: bytes) -> dict[str, Any]:
    """The record inside a file's bytes; ValueError where there is none."""
    record: dict[str, Any] = _meta(weights_file.record(content))
    return record


# --- for the maintainer -------------------------------------------------------------
def verify(recipe: Recipe) -> list[str]:
    """What is wrong with the shipped file of a recipe; empty when nothing is."""
    path = SHIPPED / f"{recipe.name}.safetensors"
    try:
        read(path, recipe, "shipped")
    except (OSError, Unusable) as error:
        return [f"{path.name}: {_one_line(error)}"]
    return []


def ship(recipe: Recipe) -> Path:
    """Train a recipe and put the result where the course ships it."""
    path = SHIPPED / f"{recipe.name}.safetensors"
    write_whole(path, make(recipe)[1])
    return path
