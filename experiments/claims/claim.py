"""One sentence, table or figure of the paper with a number in it, and how it is judged here."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.claims.rules import Rule


@dataclass(frozen=True)
class Claim:
    """
    Parameters
    ----------
    where
        In the paper.
    says
        What it says there.
    rule
        Finds the verdict from the rows.
    why
        What a reader must know to believe the verdict, in one sentence.
    tables
        Experiments whose tables show the rows.
    """

    where: str
    says: str
    rule: Rule
    why: str
    tables: tuple[str, ...] = ()
