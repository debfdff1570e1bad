"""The result of an attack."""

from dataclasses import dataclass, field


@dataclass
class Result:
    sent: str
    answered: str
    #: Failed expectations, one line each.
    faults: list = field(default_factory=list)
    #: Why the attack was skipped; None if it ran.
    skipped: str = None


@dataclass
class Target:
    service: object
    #: Duration of attacks without a natural end.
    seconds: float
    #: Whether to use fewer connections and variants, for ./dev check.
    is_short: bool
