"""`neurprise train DIR -o CHECKPOINT`: train a NeurPRISE model on labels, or a Neur2RO surrogate on samples."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import asdict, fields
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurprise.cli.exits import INTERRUPTED, OK, complain
from neurprise.cli.options import new_command
from neurprise.cli.output import aligned, emit
from neurprise.errors import InputError

if TYPE_CHECKING:
    from neurprise.training.loop import TrainingSummary

_DETAILS = """\
Train one NeurPRISE model on the labels of all DIRs, or a Neur2RO surrogate if DIR was made with `neurprise label
--method neur2ro`. CHECKPOINT receives the configuration, the weights and a card. With --from, training begins with a
trained checkpoint; then a few dozen instances of your own are enough.
The same command with the same CHECKPOINT resumes; more --epochs or --patience continue a finished run. Needs PyTorch:
pip install 'neurprise[learn]'."""

# flag -> (name in TrainingOptions or SurrogateOptions, type, help); a flag that is not given keeps the default there
_OPTIONS: dict[str, tuple[str, type, str]] = {
    "--from": ("start", str, "begin with the weights of this checkpoint, e.g. universal"),
    "--encoding": ("encoding", str, "cv, ps, sv or lp (default: by family; lp for several or none)"),
    "--encoder": ("encoder", str, "gnn or deepsets (default gnn)"),
    "--fusion": ("fusion", str, "pooled, late or early (default pooled)"),
    "--loss": ("loss", str, "swkl, bce, mse, ranking or traces (default swkl; traces for lp)"),
    "--temperature": ("temperature", float, "of the swkl targets (default 5)"),
    "--hidden": ("hidden", int, "width of the scenario encoder (default 128)"),
    "--layers": ("num_layers", int, "message-passing layers of the scenario encoder (default 2)"),
    "--embedding": ("embedding", int, "width of a scenario's embedding (default 64)"),
    "--attention-layers": ("attention_layers", int, "over the scenarios (default 2)"),
    "--heads": ("attention_heads", int, "of each attention layer (default 8)"),
    "--dropout": ("dropout", float, "in the attention layers (default 0)"),
    "--epochs": ("max_epochs", int, "at most this many (default 200)"),
    "--patience": ("patience", int, "epochs without improvement before stopping (default 10)"),
    "--batch-size": ("batch_size", int, "instances in a step (default 32)"),
    "--learning-rate": ("learning_rate", float, "of AdamW (default 6e-4)"),
    "--schedule": ("schedule", str, "constant, or cosine: the rate falls to zero at the last epoch (default constant)"),
    "--weight-decay": ("weight_decay", float, "of AdamW (default 1e-2)"),
    "--seed": ("seed", int, "of weights, split and order (default 0)"),
    "--scenarios": ("scenarios", int, "Neur2RO: scenarios of each instance in a step (default 16)"),
    "--decision-hidden": ("decision_hidden", int, "Neur2RO: hidden units after the mean over the items (default 16)"),
    "--threads": ("threads", int, "of PyTorch (default 1)"),
    "--device": ("device", str, "auto, cpu or cuda (default auto)"),
    "--regret-instances": ("regret_instances", int, "validation instances solved after every epoch (default 20)"),
    "--limit": ("limit", int, "use only the first N training instances"),
}


def add_parser(commands: Any, summary: str) -> None:
    example = "neurprise train labels/sel -o checkpoints/sel"
    parser = new_command(commands, "train", summary, _DETAILS, example)
    words = "labels to train on; several train one model"
    parser.add_argument("directories", type=Path, nargs="+", metavar="DIR", help=words)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="CHECKPOINT", help="directory to write")
    for flag, (name, kind, explanation) in _OPTIONS.items():
        metavar = flag[2:].upper().replace("-", "_")
        parser.add_argument(flag, dest=name, type=kind, default=argparse.SUPPRESS, metavar=metavar, help=explanation)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train and print the losses and the regret on the validation instances; after an interrupt, what is kept."""
    from neurprise.training.line_store import stored_format
    from neurprise.training.samples import STORE

    given = {flag: getattr(args, name) for flag, (name, _, _) in _OPTIONS.items() if hasattr(args, name)}
    words = ["neurprise", "train", *args.directories, "-o", args.output, *chain.from_iterable(given.items())]
    train = _surrogate if stored_format(args.directories[0]) == STORE.format else _scorer
    try:
        summary = asdict(train(args, given, shlex.join(map(str, words))))
    except KeyboardInterrupt:
        from neurprise.training.loop import finished_epochs

        epochs = finished_epochs(args.output / "training")
        complain(f"interrupted; epochs kept in {args.output}: {epochs}; the same command continues.")
        return INTERRUPTED
    emit(args, aligned({name.replace("_", " "): value for name, value in summary.items()}), summary)
    return OK


def _scorer(args: argparse.Namespace, given: dict[str, Any], command: str) -> TrainingSummary:
    from neurprise.training.neurprise import train  # loads PyTorch, which no other command needs
    from neurprise.training.options import TrainingOptions

    options = TrainingOptions(**_options(args, given, TrainingOptions, "Neur2RO"))
    return train(args.directories, args.output, options, command)


def _surrogate(args: argparse.Namespace, given: dict[str, Any], command: str) -> TrainingSummary:
    from neurprise.training.neur2ro import train
    from neurprise.training.options import SurrogateOptions

    options = SurrogateOptions(**_options(args, given, SurrogateOptions, "NeurPRISE"))
    if len(args.directories) > 1:
        raise InputError(f"a surrogate learns from one directory of samples, got {len(args.directories)}.")
    return train(args.directories[0], args.output, options, command)


def _options(args: argparse.Namespace, given: dict[str, Any], kind: Any, other: str) -> dict[str, Any]:
    """The given options by their names in the options class; refuses options of the other method."""
    known = {item.name for item in fields(kind)}
    for flag in given:
        if _OPTIONS[flag][0] not in known:
            raise InputError(f"{flag} is for {other}, but {args.directories[0]} is not labelled for it; leave it out.")
    return {_OPTIONS[flag][0]: value for flag, value in given.items()}
