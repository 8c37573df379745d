"""The nets behind demo 03: untrained ones in parts 1 and 2, shipped ones in 3 and 4.

Part 1 takes Jacobians of the last state, part 2 swaps two words, twenty drawn nets of each
kind. Part 3 lets two trained copiers copy fresh rows, with a place or several hidden; part 4
feeds three of them their own words, one of which is wrong. Both set the same beside it as
recorded of several trainings.

Longer than 450 lines because part 3 also sets two ways to score and two orders of reading
side by side, and each of the four parts brings a control for every mechanism it names.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from attention_np import attention, sinusoidal_positions, softmax
from lecture import records
from lecture.models import recipes, seq2seq_np
from lecture.models.seq2seq_np import (
    Seq2Seq,
    default_cells,
    last_state_jacobians,
    look_back_jacobians,
    read,
    sigmoid,
    with_forget_bias,
)
from lecture.report import Metrics

Array = np.ndarray


# --- 1. chain or direct line --------------------------------------------------

SENTENCE = ("The person whose house was bought by John last week moved to "
            "Beijing.")
FAITHFUL = "房子上周被约翰买下的那个人搬到了北京。"
LENGTHS = {"n11": 11, "n15": 15, "n50": 50, "n100": 100}
NETS, WIDTH, ASKED = 20, 32, 16
LOUD, LIMIT = 4.0, 1.0          # recurrent weights times this; clipped to that


def hops(hears: Array, start: int, end: int) -> int:
    """Fewest hand-overs from start to end; hears[t, s]: t takes in s."""
    reached, count = np.arange(len(hears)) == start, 0          # [n]
    while not reached[end]:                     # hears [n, n] @ [n]
        reached, count = reached | hears @ reached, count + 1
    return count


def size(J: Array) -> Array:
    """Frobenius norm of each matrix of J [20, .., w, e], one a net."""
    return np.sqrt((J * J).sum(axis=(-1, -2)))                  # [20, ..]


def forget_gate(cell: Any) -> float:
    """How far its bias alone opens the forget gate: the mean, 0 to 1."""
    forget = slice(WIDTH, 2 * WIDTH)                        # i, f, g, o
    bias = (cell.b_ih + cell.b_hh)[..., forget]             # [20, 1, 32]
    return float(sigmoid(bias).mean())


def untrained_nets(rng: np.random.Generator, forget: float,
                   started: bool, other: bool) -> dict[str, Any]:
    """Twenty nets of each kind; started: some from another start, of the
    same draws. other: the plain ones from there too."""
    rnn = default_cells(rng, "rnn", NETS, WIDTH)
    lstm = default_cells(rng, "lstm", NETS, WIDTH)
    turns, _ = np.linalg.qr(rng.standard_normal((NETS, WIDTH, WIDTH)))
    nets = {"rnn": rnn, "lstm": lstm}
    starts = {"lstm_one": with_forget_bias(lstm, 1.0),
              "lstm_open": with_forget_bias(lstm, forget),
              "rnn_turning": rnn._replace(hh=turns),        # [20, 32, 32]
              "rnn_loud": rnn._replace(hh=LOUD * rnn.hh)}
    if other:
        nets = {"rnn": starts["rnn_loud"], "lstm": starts["lstm_open"]}
    return nets | {name: cell if started else nets[name.split("_")[0]]
                   for name, cell in starts.items()}


def clipped(pair: tuple[Array, Array], limit: float) -> Metrics:
    """The gradient in both words at once, shortened where it is too long."""
    long = np.sqrt(size(pair[0]) ** 2 + size(pair[1]) ** 2)     # [20]
    factor = np.minimum(1, limit / long)                        # [20]
    first, last = (size(factor[:, None, None] * J) for J in pair)
    return {"limit": limit, "longest": long.max(),
            "after": (factor * long).max(),
            "kept": np.exp(np.log(first / last).mean())}


def chain_or_line(forget: float, seed: int, started: bool = True,
                  other: bool = False, neighbours: bool = False,
                  limit: float = LIMIT) -> Metrics:
    """How much of the last word's pull the first word has, by length.

    Draws: RNN, LSTM, orthogonal matrices, words, W_Q W_K W_V, query.

    Leaves:
      sentence.{en,zh} word.{first,last} places.{moved,house,count}
      hops.{chain,look_back,n11,n15,n50,n100}  hand-overs to "moved"; n - 1
      example.{half,most}.{factor,left}  a factor for each of the chain's hops
      lengths.{n11,n15,n50,n100} nets asked width forget loud
      kept.{rnn,rnn_turning,rnn_loud,lstm,lstm_one,lstm_open,look_back}.{n11,
        n15,n50,n100}  first word's gradient over the last's, geometric mean
      share.{n11,n15,n50,n100}  of the look back, on the first word
      gate.{rnn,lstm,lstm_one,lstm_open,look_back}  0 closed, 1 open
      clip.{rnn,rnn_loud}.{limit,longest,after,kept}  at the greatest length
    """
    rng, words = np.random.default_rng(seed), SENTENCE.strip(".").split()
    nets = untrained_nets(rng, forget, started, other)
    X = rng.standard_normal((NETS, max(LENGTHS.values()), WIDTH))
    bound = 1 / np.sqrt(WIDTH)
    maps = rng.uniform(-bound, bound, (3, NETS, 1, WIDTH, WIDTH))
    q = rng.standard_normal((NETS, ASKED, 1, WIDTH))    # [20, 16, 1, 32]
    kept: Metrics = {name: {} for name in (*nets, "look_back")}
    share = {}
    for key, n in LENGTHS.items():
        x = X[:, :n]                                        # [20, n, 32]
        near = np.arange(n)[None] == n - 1                  # [1, n]
        first, last, weights = look_back_jacobians(
            q, tuple(maps), x[:, None], near if neighbours else None)
        pairs = {name: last_state_jacobians(cell, x)
                 for name, cell in nets.items()}
        for name, (a, b) in (pairs | {"look_back": (first, last)}).items():
            with np.errstate(divide="ignore"):      # log 0: nothing arrives
                logs = np.log(size(a) / size(b))    # [20] or [20, 16]
            kept[name][key] = np.exp(logs.mean())
        share[key] = weights[..., 0].mean()
    moved, n = words.index("moved"), len(words)
    before = np.eye(n, k=-1, dtype=bool)        # t takes in t - 1
    line = before if neighbours else np.tri(n, k=-1, dtype=bool)
    chain = hops(before, 0, moved)
    return {
        "sentence": {"en": SENTENCE, "zh": FAITHFUL},
        "word": {"first": words[0], "last": words[moved]},
        "places": {"moved": moved + 1, "house": words.index("house") + 1,
                   "count": n},
        "hops": {"chain": chain, "look_back": hops(line, 0, moved)}
        | {key: n - 1 for key, n in LENGTHS.items()},
        "example": {name: {"factor": f, "left": f ** chain}
                    for name, f in (("half", 0.5), ("most", 0.95))},
        "lengths": LENGTHS, "nets": NETS, "asked": ASKED,
        "width": WIDTH, "forget": forget, "loud": LOUD,
        "kept": kept, "share": share,
        "gate": {"rnn": None, "look_back": None}
        | {name: forget_gate(nets[name])
           for name in ("lstm", "lstm_one", "lstm_open")},
        "clip": {name: clipped(pairs[name], limit)
                 for name in ("rnn", "rnn_loud")}}


CHAIN_CONTROLS: dict[str, Any] = {
    "start_ignored": partial(chain_or_line, started=False),
    "other_start": partial(chain_or_line, other=True),
    "neighbours_only": partial(chain_or_line, neighbours=True),
    "unclipped": partial(chain_or_line, limit=1e300),
}


# --- 2. order -----------------------------------------------------------------

def summed(cell: Any, x: Array) -> tuple[Array, tuple[Array]]:
    """No recurrence: what each of the words x would add, added up."""
    added = x @ cell.ih[:, None].swapaxes(-1, -2)       # [20, 1, 3, g w]
    h = added.sum(axis=-2)                              # [20, 1, g w]
    return h[..., None, :], (h,)


def minds_order(seed: int, reader: Any = read,
                places: bool = False) -> Metrics:
    """Three random words, two of them swapped; nets as in part 1.

    Draws: the words, then RNN, GRU, LSTM, then three unrelated words.

    Leaves:
      nets.{rnn,gru,lstm,bag,look}.{mean,least,most}  change / own size
      nets.{rnn,gru,lstm,bag,look}.{first_two,unrelated}.{mean,least}
      nets.{rnn,gru,lstm,bag,look}.widths[2] count width
    """
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((NETS, 1, 3, WIDTH))            # "I love you"
    where = sinusoidal_positions(3, WIDTH) if places else 0     # [3, 32]

    def last_state(kind: str) -> Any:
        cell = default_cells(rng, kind, NETS, WIDTH)
        return lambda x: reader(cell, x)[1][0]              # [20, 1, 32]

    readers = {kind: last_state(kind) for kind in ("rnn", "gru", "lstm")}
    readers["bag"] = lambda x: np.tanh(x + where).mean(axis=-2)
    readers["look"] = lambda x: attention(
        x + where, x + where, x)[0][..., 1, :]              # at "love"
    rows = {"swapped": X[:, :, ::-1],                       # "you love I"
            "first_two": X[:, :, [1, 0, 2]],                # "love I you"
            "unrelated": rng.standard_normal(X.shape)}
    nets = {}
    for name, state in readers.items():
        one = state(X)[:, 0]                                # [20, 32]
        others = {key: state(x)[:, 0] for key, x in rows.items()}
        found = {}
        for key, two in others.items():
            change = (np.linalg.norm(one - two, axis=-1)
                      / np.linalg.norm(one, axis=-1))       # [20]
            found[key] = {"mean": change.mean(), "least": change.min()}
            if key == "swapped":
                found[key]["most"] = change.max()
        nets[name] = found.pop("swapped") | found | {
            "widths": [one.shape[-1], others["swapped"].shape[-1]]}
    return {"nets": nets, "count": NETS, "width": WIDTH}


ORDER_CONTROLS: dict[str, Any] = {
    "summed": partial(minds_order, reader=summed),
    "with_places": partial(minds_order, places=True),
}


# --- 3. the bottleneck --------------------------------------------------------

EOS, BOS, FIRST, WORDS = 0, 1, 2, 10        # ids of the copying task
SIZES = {"n4": 4, "n8": 8, "n12": 12, "n16": 16, "n24": 24}
ROWS, CUT, SHOWN = 200, "n12", 8
STATE_NUMBERS, STATE_BITS, VOCABULARY, LONG = 512, 32, 50_000, 1000


def sources(rng: np.random.Generator, rows: int, n: int) -> Array:
    """Random words to be copied, [rows, n]."""
    return rng.integers(FIRST, FIRST + WORDS, size=(rows, n))


def share_right(said: Array, source: Array) -> dict[str, float]:
    """Shares of right words, and of rows right to the end, eos included."""
    right = said[:, :-1] == source                              # [B, n]
    whole = right.all(axis=1) & (said[:, -1] == EOS)            # [B]
    return {"word": right.mean(), "whole": whole.mean()}


def copying(model: Seq2Seq, seed: int, rows: int = ROWS,
            context: Any = None) -> dict[str, dict[str, float]]:
    """Copy fresh rows of each length; context replaces the last state."""
    rng, found = np.random.default_rng(seed), {}
    for key, n in SIZES.items():
        source = sources(rng, rows, n)                          # [200, n]
        state = None if context is None else context(model, source)
        found[key] = share_right(
            model.greedy(source, BOS, n + 1, context=state)[0], source)
    return found


def cut_places(model: Seq2Seq, seed: int, n: int, rows: int = ROWS,
               shift: int = 0) -> Metrics:
    """Step t may not look at source word t, at its neighbours, or elsewhere.

    What is hidden at each writing step, its weight when nothing is, and what
    is still said right. shift: "own" is another place, so many words on.
    """
    source = sources(np.random.default_rng(seed), rows, n)      # [200, n]
    gap = np.arange(n) - np.arange(n + 1)[:, None] - shift  # [n + 1, n]
    hide = {"none": gap == n, "own": gap == 0,
            "neighbours": np.abs(gap) == 1, "others": gap != 0}
    hide["others"][n] = False               # the last step says eos, copies
    weights = model.greedy(source, BOS, n + 1)[1]           # [200, n + 1, n]
    found = {}
    for name, hidden in hide.items():
        masks = np.broadcast_to(~hidden, (rows, *hidden.shape))
        said = model.greedy(source, BOS, n + 1, masks=masks)[0]
        found[name] = {
            "weight": (weights * hidden)[:, :n].sum(-1).mean(),
            "right": share_right(said, source)["word"]}
    return found


def blinded(model: Seq2Seq) -> Seq2Seq:
    """The same net with every query zero: it looks everywhere alike."""
    no_query = {"look.weight": 0 * model.p["look.weight"]}
    return Seq2Seq(model.cfg, model.p | no_query)


def emptied(model: Seq2Seq, source: Array) -> tuple[Array, ...]:
    """A context of zeros, as if nothing had been read."""
    return tuple(0 * a for a in model.encode(source)[1])        # (h, c)


def two_scores(seed: int, bend: Any = np.tanh) -> Metrics:
    """Dot-product and additive scores: how far a new query moves weights.

    q·W k / sqrt(w) and v·bend(W q + U k); flat: the latter without its bend.
    Half the sum of |differences| over 8 keys, mean of 20 draws.
    """
    rng, w = np.random.default_rng(seed), WIDTH
    W, U = rng.standard_normal((2, NETS, w, w)) / np.sqrt(w)    # [20, w, w]
    v = rng.standard_normal((NETS, 1, w))                       # [20, 1, w]
    K = rng.standard_normal((NETS, SHOWN, w))                   # [20, 8, w]
    Q = rng.standard_normal((2, NETS, 1, w))                # [2, 20, 1, w]

    def added(fold: Any) -> Array:              # [2, 20, 8, w] -> [2, 20, 8]
        inside = Q @ W.swapaxes(-1, -2) + K @ U.swapaxes(-1, -2)
        return (v * fold(inside)).sum(-1)

    scores = {"dot": (Q @ W @ K.swapaxes(-1, -2) / np.sqrt(w))[:, :, 0],
              "additive": added(bend), "flat": added(lambda x: x)}
    weights = {name: softmax(s) for name, s in scores.items()}  # [2, 20, 8]
    numbers = {"dot": w * w, "additive": 2 * w * w + w, "flat": 2 * w * w + w}
    return {name: {"moved": np.abs(a[0] - a[1]).sum(-1).mean() / 2,
                   "numbers": numbers[name]} for name, a in weights.items()}


def lags(n: int, reverse: bool = True) -> Metrics:
    """Steps from reading a word to writing its copy, in order and reversed."""
    read_at = np.arange(n)                          # step of source word i
    written = n + np.arange(n)                      # step of its copy
    turned = read_at[::-1] if reverse else read_at
    return {name: {"first": lag[0], "last": lag[-1], "mean": lag.mean()}
            for name, lag in (("in_order", written - read_at),
                              ("reversed", written - turned))}


def bottleneck(seed: int, look: bool = True, context: Any = None,
               narrow: bool = False, shift: int = 0, longer: str = "longer",
               bend: Any = np.tanh, reverse: bool = True) -> Metrics:
    """One state against a look back, on fresh rows; sums about room.

    Leaves:
      sizes.{n4,n8,n12,n16,n24} rows
      {one,attention}.{n4,n8,n12,n16,n24}.{word,whole}  shares right
      emptied  one, n4, whole rows with h and c set to zero
      context.{arrays,numbers,width,read,memory}
      bits.{numbers,each,state,words,vocabulary,letters,need,spare,own_state,
        own_need}
      map.{source[8],said[9],weights[9,8],aligned,row}  [step, source word]
      cut.{none,own,neighbours,others}.{weight,right}  hidden; letters right
      runs.{n4,n8,n12,n16,n24}.{one,attention}[5]  whole rows, sorted
      record.{seeds,gap,longer.{times,better,still,before,after}}
      scores.{dot,additive,flat}.{moved,numbers} keys
      lags.{in_order,reversed}.{first,last,mean}
    """
    one = seq2seq_np.load("copy_one")
    two = seq2seq_np.load("copy_attention")
    two = two if look else blinded(two)
    source = sources(np.random.default_rng(seed), 1, SHOWN)     # [1, 8]
    memory, state = two.encode(source)              # [1, 8, w], (h, c)
    said, weights = two.greedy(source, BOS, SHOWN + 1)
    view = np.asarray(weights)[0]                               # [9, 8]
    numbers = STATE_NUMBERS // 2 if narrow else STATE_NUMBERS
    own = sum(a.shape[-1] for a in state)
    need = LONG * np.log2(VOCABULARY)
    return {
        "sizes": SIZES, "rows": ROWS,
        "one": copying(one, seed, context=context),
        "attention": copying(two, seed),
        "emptied": copying(one, seed, context=emptied)["n4"]["whole"],
        "context": {"arrays": len(state), "numbers": own,
                    "width": memory.shape[-1], "read": SHOWN,
                    "memory": memory[0].size},
        "bits": {"numbers": numbers, "each": STATE_BITS,
                 "state": numbers * STATE_BITS, "words": LONG,
                 "vocabulary": VOCABULARY, "letters": WORDS, "need": need,
                 "spare": numbers * STATE_BITS - need,
                 "own_state": own * STATE_BITS,
                 "own_need": SIZES["n24"] * np.log2(WORDS)},
        "map": {"source": letters(source[0]), "said": letters(said[0]),
                "weights": view, "aligned": np.diagonal(view).mean(),
                "row": " ".join(letters(source[0]))},
        "cut": cut_places(two, seed, SIZES[CUT], shift=shift),
        "scores": two_scores(seed, bend), "keys": SHOWN,
        "lags": lags(SHOWN, reverse)} | recorded_copies(longer)


def recorded_copies(longer: str) -> Metrics:
    """Whole rows in each recorded training; longer: which arm is practice."""
    record = records.read("copy_seeds")
    seeds = record["seeds"]

    def whole(name: str, key: str) -> list[float]:
        return [s[name][key]["whole"] for s in seeds]

    pairs = list(zip(whole("one", "n8"), whole(longer, "n8"), strict=True))
    ahead = zip(whole("attention", "n24"), whole("one", "n24"), strict=True)
    return {
        "runs": {key: {name: sorted(whole(name, key))
                       for name in ("one", "attention")} for key in SIZES},
        "record": {
            "seeds": len(seeds), "gap": sum(a > b + 0.5 for a, b in ahead),
            "longer": {"times": record["times"],
                       "better": sum(b > a for a, b in pairs),
                       "still": sum(x == 0 for x in whole(longer, "n24")),
                       "before": np.median([a for a, _ in pairs]),
                       "after": np.median([b for _, b in pairs])}}}


BOTTLENECK_CONTROLS: dict[str, Any] = {
    "blinded": partial(bottleneck, look=False),
    "emptied": partial(bottleneck, context=emptied),
    "narrow": partial(bottleneck, narrow=True),
    "one_place_on": partial(bottleneck, shift=1),
    "attention_arm": partial(bottleneck, longer="attention"),
    "no_bend": partial(bottleneck, bend=lambda x: x),
    "in_order": partial(bottleneck, reverse=False),
}


def letters(ids: Array) -> list[str]:
    """a b c ... for the words of the task, and its two marks by name."""
    return [{EOS: "eos", BOS: "bos"}.get(int(i)) or chr(97 + int(i) - FIRST)
            for i in ids]


# --- 4. teacher forcing -------------------------------------------------------

REPLY = ("我", "爱", "AI")
K, CHECKED, LIVED = 3, 0, "n8"


def shift(words: tuple[str, ...], shifted: bool = True) -> Metrics:
    """What the decoder is fed and what it must say, row by row."""
    says = [*words, "<eos>"]
    fed = ["<bos>", *words] if shifted else says
    return {"fed": fed, "says": says, "pairs": len(fed),
            "words": len(words), "eos_fed": fed.count("<eos>"),
            "before_love": fed[says.index(words[1])], "love": words[1]}


def living(model: Seq2Seq, k: int, seed: int, rows: int = ROWS,
           fed_true: bool = False, harmless: bool = False,
           drawn: bool = False) -> Metrics:
    """A decoder on true words, on its own, and with one wrong word put in.

    Draws: the rows, then how far each row's wrong word is from its own.
    """
    rng, n = np.random.default_rng(seed), SIZES[LIVED]
    source = sources(rng, rows, n)                              # [200, 8]
    shove = rng.integers(1, WORDS, size=rows)                   # [200]
    bos = np.full((rows, 1), BOS)
    true = model.forced(source, np.hstack([bos, source]))[0].argmax(-1)
    own = true if fed_true else model.greedy(source, BOS, n + 1)[0]
    due = source[:, k - 1]
    wrong = (due - FIRST + shove) % WORDS + FIRST       # never the due one
    again = wrong if drawn else source[:, k - 2]    # due one step before
    put, twice = (own if harmless else model.greedy(
        source, BOS, n + 1, put=(k - 1, word))[0]
        for word in (wrong, again))
    slip, late = (said[:, k:n] == source[:, k - 1:n - 1]        # [200, n - k]
                  for said in (put, twice))
    steps = {name: (said[:, :n] == source).mean(axis=0)         # [8]
             for name, said in (("own", own), ("put", put))}
    return {"true": share_right(true, source),
            "own": share_right(own, source),
            "before": steps["own"][k:].mean(),
            "after": steps["put"][k:].mean(),
            "slip": slip.mean(), "late": late.mean(),
            "steps": steps["put"], "untouched": steps["own"]}


def on_its_own(p: float, k: int, seed: int, shifted: bool = True,
               one_coin: bool = False, fed_true: bool = False,
               harmless: bool = False, drawn: bool = False,
               twin: str = "sampled") -> Metrics:
    """The shift, the product of chances, and three trained decoders.

    Leaves:
      shift.{fed[4],says[4],pairs,words,eos_fed,before_love,love}
      odds.{p,slip,short,long,all_short,all_long}
      k n rows chance place[8] own_share
      nets.{one,sampled,attention}.{{true,own}.{word,whole},before,after,slip,
        late,{steps,untouched}[8]}  shares right; slip, late: one place late
      runs.{one,sampled,attention}.{whole,after}[5]  of each training, sorted
      record.{seeds,k,heals,costs,both,strays,slides}  in how many trainings
    """
    nets = {"one": "copy_one", "sampled": "copy_sampled",
            "attention": "copy_attention"}
    found = {name: living(seq2seq_np.load(recipe), k, seed, drawn=drawn,
                          fed_true=fed_true, harmless=harmless)
             for name, recipe in nets.items()}
    return {
        "shift": shift(REPLY, shifted),
        "odds": {"p": p, "slip": 1 - p, "short": 10, "long": 50,
                 "all_short": p if one_coin else p ** 10,
                 "all_long": p if one_coin else p ** 50},
        "k": k, "n": SIZES[LIVED], "rows": ROWS, "chance": 1 / WORDS,
        "place": list(range(1, SIZES[LIVED] + 1)),
        "own_share": recipes.named("copy_sampled").training.own_share,
        "nets": found} | recorded_lives(twin)


FORCING_CONTROLS: dict[str, Any] = {
    "unshifted": partial(on_its_own, shifted=False),
    "one_coin": partial(on_its_own, one_coin=True),
    "fed_true": partial(on_its_own, fed_true=True),
    "harmless": partial(on_its_own, harmless=True),
    "drawn": partial(on_its_own, drawn=True),
    "another_seed": partial(on_its_own, twin="another"),
}


def recorded_lives(twin: str = "sampled") -> Metrics:
    """What `living` found in each recorded training: values and counts.

    twin "another": in place of scheduled sampling the next seed's own "one".
    """
    seeds = [dict(s["living"]) for s in records.read("copy_seeds")["seeds"]]
    if twin == "another":
        ones = [s["one"] for s in seeds]
        for s, one in zip(seeds, ones[1:] + ones[:1], strict=True):
            s["sampled"] = one
    return {
        "runs": {name: {"whole": sorted(s[name]["own"]["whole"]
                                        for s in seeds),
                        "after": sorted(s[name]["after"] for s in seeds)}
                 for name in ("one", "sampled", "attention")},
        "record": {
            "seeds": len(seeds), "k": K,
            "heals": sum(s["sampled"]["after"] > s["one"]["after"]
                         for s in seeds),
            "costs": sum(s["sampled"]["own"]["whole"]
                         < s["one"]["own"]["whole"] for s in seeds),
            "both": sum(s["sampled"]["after"] > s["one"]["after"]
                        and s["sampled"]["own"]["whole"]
                        < s["one"]["own"]["whole"] for s in seeds),
            "strays": sum(s["attention"]["before"]
                          - s["attention"]["after"] > 0.2 for s in seeds),
            "slides": sum(s["attention"]["late"] > 0.5 for s in seeds)}}
