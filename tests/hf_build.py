"""Small models of the three families with random weights, saved as a user would have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TEXT = "the cat looks at the dog"
WORDS = ["<pad>", "</s>", "<unk>", *"the cat looks at dog I love you".split()]


def build(family: str, folder: Path, seed: int = 0, start: int = 0) -> Path:
    """Two layers, two heads, width 16, ten words, at most 32 places; start: of a T5's decoder."""
    import torch
    import transformers as tf
    from tokenizers import Tokenizer, models, pre_tokenizers

    unknown = {"unk_token": WORDS[2]}
    words = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, **unknown))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    marks = dict(zip(("pad_token", "eos_token", "unk_token"), WORDS, strict=False))
    tf.PreTrainedTokenizerFast(tokenizer_object=words, **marks).save_pretrained(folder)
    torch.manual_seed(seed)
    size: dict[str, Any] = {"vocab_size": len(WORDS), "pad_token_id": 0, "eos_token_id": 1,
                            "bos_token_id": 1}
    model: Any
    if family == "t5":
        model = tf.T5ForConditionalGeneration(tf.T5Config(
            **size, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2,
            decoder_start_token_id=start))
    elif family == "gpt2":
        model = tf.GPT2LMHeadModel(tf.GPT2Config(**size, n_embd=16, n_layer=2, n_head=2,
                                                 n_positions=32))
    else:
        model = tf.BertModel(tf.BertConfig(**size, hidden_size=16, num_hidden_layers=2,
                                           num_attention_heads=2, intermediate_size=32,
                                           max_position_embeddings=32))
    model.save_pretrained(folder)
    return folder
