"""Trains with the Trainer of Hugging Face on plain tar shards: no file is copied.

python examples/huggingface_trainer.py sluice://BUCKET/shards
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any

import torch
import transformers
from dataloader import SAMPLES, SHARDS, write_shards

import sluice


class Model(torch.nn.Module):  # type: ignore[misc]
    """Remembers which samples it has seen."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(1024, 1)
        self.seen: list[int] = []

    def forward(self, pixels: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        self.seen += labels.tolist()
        found = self.layer(pixels).squeeze(1)
        return {"loss": torch.nn.functional.mse_loss(found, labels / 1000), "logits": found}


def main(url: str) -> None:
    write_shards(url)
    samples = sluice.Samples(f"{url}/train-*.tar", transform=decode)
    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        options = transformers.TrainingArguments(
            output_dir=folder,
            num_train_epochs=2,
            per_device_train_batch_size=16,
            dataloader_num_workers=2,
            remove_unused_columns=False,
            save_strategy="no",
            report_to=[],
            use_cpu=True,
        )
        transformers.Trainer(model, options, train_dataset=samples).train()
    every = list(range(SHARDS * SAMPLES))
    epochs = model.seen[: len(every)], model.seen[len(every) :]
    assert sorted(epochs[0]) == every and sorted(epochs[1]) == every, "each sample once an epoch"
    assert epochs[0] != epochs[1], "in another order"
    print(f"2 epochs of {len(every)} samples, first labels {model.seen[:5]}")


def decode(sample: dict[str, bytes]) -> dict[str, Any]:
    pixels = torch.frombuffer(bytearray(sample["bin"]), dtype=torch.uint8)
    return {"pixels": pixels / 255, "labels": torch.tensor(float(sample["cls"]))}


if __name__ == "__main__":
    main(sys.argv[1])
