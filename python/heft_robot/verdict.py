"""The verdict and the doubts of a result, as dictionaries with a readable printed form."""
from __future__ import annotations


class Verdict(dict):
    """The verdict of result.json, {"level", "words"}, with its parts as attributes; str() joins them."""

    @property
    def level(self) -> str:
        """green: certified, no serious doubt open; amber: certified, a serious doubt open; red: not certified"""
        return self["level"]

    @property
    def words(self) -> str:
        """the reason, as a sentence"""
        return self["words"]

    def __str__(self) -> str:
        return f"{self.level}: {self.words}"

    def __repr__(self) -> str:
        return f"Verdict({str(self)!r})"


class Doubt(dict):
    """A doubt of result.json, {id, severity, words, remedy, ..}, with these as attributes; docs/doubts.md lists the ids."""

    @property
    def id(self) -> str:
        """its id, as in --accept"""
        return self["id"]

    @property
    def severity(self) -> str:
        """serious or minor"""
        return self.get("severity") or ""

    @property
    def words(self) -> str:
        """what is wrong, as a sentence"""
        return self.get("words") or ""

    @property
    def remedy(self) -> str:
        """what to do about it; may be empty"""
        return self.get("remedy") or ""

    @property
    def accepted(self) -> bool:
        """whether it was investigated and accepted"""
        return bool(self.get("accepted"))

    def __str__(self) -> str:
        text = f"{self.severity}{', accepted' if self.accepted else ''}: {self.id}: {self.words}"
        return f"{text}\n  remedy: {self.remedy}" if self.remedy else text

    def __repr__(self) -> str:
        return f"Doubt({str(self)!r})"


class Doubts(list):
    """A list of Doubt, serious ones first. print() shows one per line, with its remedy."""

    @classmethod
    def of_document(cls, document: dict) -> Doubts:
        """The doubts of result.json."""
        order = {"serious": 0, "minor": 1}
        doubts = [Doubt(doubt) for doubt in document.get("doubts") or []]
        return cls(sorted(doubts, key=lambda doubt: order.get(doubt.severity, 2)))

    @property
    def serious(self) -> Doubts:
        """doubts that prevent a green verdict: serious and not accepted"""
        return Doubts(doubt for doubt in self if doubt.get("severity") == "serious" and not doubt.get("accepted"))

    @property
    def minor(self) -> Doubts:
        """all other doubts"""
        return Doubts(doubt for doubt in self if doubt.get("severity") != "serious" or doubt.get("accepted"))

    def __str__(self) -> str:
        return "\n".join(str(doubt) for doubt in self) or "no doubts"

    __repr__ = __str__
