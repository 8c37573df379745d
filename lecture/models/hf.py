"""Where does a real model look?  T5, GPT-2 or BERT from a folder, through our own views.

The folder holds what `save_pretrained` writes: config.json, model.safetensors and a
tokenizer. Nothing is fetched from a network, no code in the folder is run, and weights
that are not safetensors are refused. Maps are asked for at loading ("eager"): a model
loaded in the default way computes its attention in one fused step and keeps no maps.

Nothing of ours is imported but the two-line errors; torch and transformers (the extra
`hf`) only inside the functions. Left out: every other family, sampling, training.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lecture.errors import SetupProblem, UsageProblem
from lecture.files import named

KINDS = {"t5": "encoder-decoder", "gpt2": "decoder", "bert": "encoder"}
LIMIT = 128                                     # tokens of a text
STEPS, BEST = 8, 3                              # greedy steps, and candidates shown at each
BEAMS, LONGEST = 4, 50                          # of a translation

Views = dict[str, Any]


def attention_of(folder: str | Path, text: str) -> Views:
    """{"tokens", "maps": [{"layer", "head", "weights" [n][n]}], "kind"} of a text.

    The maps of an encoder (BERT, T5) or of a decoder (GPT-2), over the text's own tokens.
    """
    model, tokenizer = open_model(folder)
    kind, ids = KINDS[model.config.model_type], _ids(tokenizer, model, text)
    if kind == "encoder-decoder":
        layers = _run(model.encoder, input_ids=ids).attentions
    else:
        layers = _run(model, input_ids=ids).attentions
    return {"kind": kind, "tokens": tokenizer.convert_ids_to_tokens(ids[0].tolist()),
            "maps": [{"layer": i, "head": j, "weights": head}
                     for i, layer in enumerate(_plain(layers))
                     for j, head in enumerate(layer)]}


def views(folder: str | Path, text: str, steps: int = STEPS) -> Views:
    """All a part of a demo shows of a model: maps of three kinds, greedy steps.

    {"family", "kind", "layers", "heads", "width", "head_width", "ids", "tokens", "start"
    (the token a decoder of translations begins from, or None), "said", "steps": [{"fed",
    "best": [{"word", "p"}]}], "written" (what `generate` makes of the text, or None),
    "encoder", "decoder", "cross": [layer][head][row][column], or []}
    """
    model, tokenizer = open_model(folder)
    config, ids = model.config, _ids(tokenizer, model, text)
    kind, name = KINDS[config.model_type], tokenizer.convert_ids_to_tokens
    found: Views = {
        "family": config.model_type, "kind": kind, "layers": config.num_hidden_layers,
        "heads": config.num_attention_heads, "width": config.hidden_size,
        "head_width": getattr(config, "d_kv", config.hidden_size // config.num_attention_heads),
        "ids": ids[0].tolist(), "tokens": name(ids[0].tolist()), "start": None, "said": [],
        "steps": [], "written": _written(model, tokenizer, ids), "encoder": [], "decoder": [],
        "cross": []}
    if kind == "encoder":
        return found | {"encoder": _plain(_run(model, input_ids=ids).attentions)}
    import torch

    if kind == "decoder":
        fed = ids
        most = getattr(config, "max_position_embeddings", LIMIT)
    else:
        fed = torch.tensor([[config.decoder_start_token_id]])
        found["start"], most = name(config.decoder_start_token_id), LIMIT
    end = _end(model)
    for _ in range(steps):
        given = {"input_ids": fed} if kind == "decoder" else \
            {"input_ids": ids, "decoder_input_ids": fed}
        odds = _run(model, **given).logits[0, -1].double().softmax(-1)      # [V]
        best = odds.topk(min(BEST, len(odds)))
        found["steps"].append({"fed": name(int(fed[0, -1])), "best": [
            {"word": name(i), "p": p} for p, i in zip(best.values.tolist(),
                                                      best.indices.tolist(), strict=True)]})
        found["said"].append(found["steps"][-1]["best"][0]["word"])
        word = int(best.indices[0])
        if word in end or fed.shape[1] >= most:
            break
        fed = torch.cat([fed, torch.tensor([[word]])], dim=1)
    if kind == "decoder":
        return found | {"decoder": _plain(_run(model, input_ids=ids).attentions)}
    fed = fed[:, :len(found["steps"])]                  # what was fed in, one row per step
    out = _run(model, input_ids=ids, decoder_input_ids=fed)
    return found | {"encoder": _plain(out.encoder_attentions),
                    "decoder": _plain(out.decoder_attentions),
                    "cross": _plain(out.cross_attentions)}


def _written(model: Any, tokenizer: Any, ids: Any) -> str | None:
    """A translation by beams (T5), a continuation word by word (GPT-2), or nothing (BERT)."""
    import torch
    import transformers

    kind, given = KINDS[model.config.model_type], {"attention_mask": torch.ones_like(ids)}
    places = getattr(model.config, "max_position_embeddings", LIMIT)
    if kind == "encoder" or (kind == "decoder" and ids.shape[1] >= places):
        return None
    with torch.no_grad(), _quiet(transformers):
        if kind == "decoder":
            made = model.generate(ids, **given, do_sample=False, num_beams=1,
                                  max_new_tokens=min(STEPS, places - ids.shape[1]),
                                  pad_token_id=min(_end(model), default=0))
        else:
            made = model.generate(ids, **given, do_sample=False, num_beams=BEAMS,
                                  max_length=LONGEST, early_stopping=True)
    return str(tokenizer.decode(made[0], skip_special_tokens=True))


def unmasked(folder: str | Path, text: str) -> list[Any]:
    """The maps of a decoder that may look to the right: [layer][head][row][column].

    For the record hf_views: the same weights with the causal mask taken away.
    """
    import torch

    model, tokenizer = open_model(folder)
    ids = _ids(tokenizer, model, text)
    everything = torch.zeros(1, 1, ids.shape[1], ids.shape[1])      # added to the scores
    if KINDS[model.config.model_type] == "decoder":
        return _plain(_run(model, input_ids=ids, attention_mask=everything).attentions)
    return _plain(_run(model, input_ids=ids, decoder_input_ids=ids,
                       decoder_attention_mask=everything).decoder_attentions)


def open_model(folder: str | Path) -> tuple[Any, Any]:
    """(model in evaluation mode, tokenizer); two-line errors for whatever is wrong."""
    path = named(folder)
    if not os.path.isfile(path / "config.json"):
        raise UsageProblem(f"{path.name!r} is no folder with a model: config.json is missing",
                           "give a folder written by save_pretrained")
    for entry in os.scandir(path):              # a pipe among them would be waited for
        if entry.name.endswith((".json", ".safetensors", ".model", ".txt")) \
                and not os.path.isfile(entry.path):
            raise UsageProblem(f"{entry.name} in the folder is not a plain file",
                               "give a folder written by save_pretrained")
    try:
        import transformers
    except ImportError as error:
        raise SetupProblem(f"a model of your own needs {error.name}, which is not installed",
                           "install the extra: pip install -c constraints.txt -e '.[hf]'") \
            from None
    with _quiet(transformers):
        try:
            config = transformers.AutoConfig.from_pretrained(
                path, local_files_only=True, trust_remote_code=False)
            family = config.model_type
        except Exception as error:              # many kinds, one meaning
            raise UsageProblem(f"config.json cannot be read: {_one_line(error)}",
                               "give a folder written by save_pretrained") from None
        if family not in KINDS:
            raise UsageProblem(f"a model of the family {family!r} is not supported",
                               f"the families are: {', '.join(KINDS)}")
        made = {"encoder-decoder": transformers.AutoModelForSeq2SeqLM,
                "decoder": transformers.AutoModelForCausalLM,
                "encoder": transformers.AutoModel}[KINDS[family]]
        try:
            model = made.from_pretrained(
                path, config=config, local_files_only=True, use_safetensors=True,
                trust_remote_code=False,
                attn_implementation="eager")
        except Exception as error:              # many kinds, one meaning
            raise SetupProblem(f"the weights cannot be read: {_one_line(error)}",
                               "the folder needs a whole model.safetensors of this config") \
                from None
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                path, local_files_only=True, trust_remote_code=False)
        except Exception as error:              # many kinds, one meaning
            raise SetupProblem(f"the tokenizer cannot be read: {_one_line(error)}",
                               "save the tokenizer into the same folder") from None
    return model.eval(), tokenizer


def _ids(tokenizer: Any, model: Any, text: str) -> Any:
    ids = tokenizer(text, return_tensors="pt").input_ids                # [1, n]
    config = model.config
    most = min(LIMIT, getattr(config, "max_position_embeddings", None) or LIMIT)
    if not 1 <= ids.shape[1] <= most:
        raise UsageProblem(f"the text has {ids.shape[1]} tokens", f"it may have 1 to {most}")
    if int(ids.max()) >= config.vocab_size:
        raise SetupProblem("the tokenizer knows words the model does not",
                           "save the tokenizer of this model into its folder")
    return ids


def _run(model: Any, **given: Any) -> Any:
    import torch
    import transformers

    with torch.no_grad(), _quiet(transformers):
        return model(**given, output_attentions=True, use_cache=False, return_dict=True) \
            if model.config.model_type != "bert" else \
            model(**given, output_attentions=True, return_dict=True)


def _plain(layers: Any) -> list[Any]:
    """A tuple of [1, h, m, n] -> [layer][head][row][column] in plain numbers."""
    return [layer[0].double().tolist() for layer in layers or () if layer is not None]


def _end(model: Any) -> set[int]:
    end = model.config.eos_token_id
    return set() if end is None else set(end) if isinstance(end, list) else {end}


@contextlib.contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Its notices and bars are not ours to print."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _one_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:160]
