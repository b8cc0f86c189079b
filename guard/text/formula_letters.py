"""Letters and signs that TeX has names for, and the Latin letters that stand for them in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

_SEEN_AS: Final = {
    "A": "Alpha Delta Lambda Uplambda Updelta varDelta varLambda AA forall",
    "B": "Beta ss",
    "C": "Complex cnums complement",
    "D": "DH DJ",
    "E": "Epsilon Sigma Xi Upsigma Upxi varSigma varXi exist exists",
    "F": "Finv",
    "G": "Game",
    "H": "Eta",
    "I": "Iota Im image",
    "K": "Kappa",
    "L": "L pounds mathsterling",
    "M": "Mu",
    "N": "N Nu Pi natnums Uppi varPi",
    "O": "O Omicron Omega Theta Upomega Uptheta varOmega bigcirc emptyset empty varnothing",
    "P": "Rho wp weierp",
    "R": "R Re real reals Reals",
    "S": "S",
    "T": "Tau",
    "X": "Chi",
    "Y": "Upsilon Upupsilon varUpsilon yen",
    "Z": "Z Zeta",
    "a": "alpha upalpha aa",
    "b": "beta upbeta",
    "c": "copyright",
    "d": "delta partial eth updelta dh dj",
    "e": "epsilon varepsilon upepsilon upvarepsilon xi upxi",
    "f": "digamma",
    "h": "hbar hslash",
    "i": "iota upiota imath i",
    "j": "jmath j",
    "k": "kappa varkappa upkappa Bbbk",
    "l": "ell l",
    "n": "eta upeta pi uppi ng aleph alef alefsym",
    "o": "omicron upomicron sigma upsigma theta uptheta o",
    "p": "rho varrho uprho thorn",
    "s": "varsigma",
    "t": "tau uptau",
    "u": "upsilon upupsilon mu upmu",
    "v": "nu upnu",
    "w": "omega upomega varpi",
    "x": "chi upchi",
    "y": "gamma upgamma",
    "z": "zeta upzeta",
}


def _by_name() -> Iterator[tuple[str, str]]:
    for letter, names in _SEEN_AS.items():
        yield from ((name, letter) for name in names.split())


NAMED_LETTERS: Final[Mapping[str, str]] = MappingProxyType(dict(_by_name()))
"""By name: what each is taken for."""
OPERATORS: Final = (
    "arc(?:cos|sin|tan|tg|ctg)|arg|ch|cos|cosec|cosh|cot|cotg|coth|csc|ctg|cth|deg|det|dim|exp|gcd"
    "|hom|inf|injlim|ker|lg|lim|liminf|limsup|ln|log|max|min|mod|plim|Pr|projlim|sec|sin|sinh|sup"
    "|sh|tan|tanh|tg|th"
)
"""Names that are shown as they are written, as a regular expression."""
