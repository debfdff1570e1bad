"""What came of an attack."""

from dataclasses import dataclass, field


@dataclass
class Result:
    sent: str
    answered: str
    #: What should not have happened, each a line.
    faults: list = field(default_factory=list)
    #: Why it was not carried out; None when it was.
    skipped: str = None


@dataclass
class Target:
    service: object
    #: How long an attack that could go on for ever goes on.
    seconds: float
    #: Fewer connections and variants, for ./dev check.
    is_short: bool
