"""A pharmacy's baskets, invented from a seed: the example that needs no file.

In: how many baskets, and a seed. Out: the baskets, and the items that nobody should be able to
infer of a customer. A customer comes on an errand (a cold, a journey, a new baby) and buys partly
what the errand calls for and partly what everybody buys. No real person, shop or file is behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.arguments import checked
from withhold.data.records import Records

SHELVES: Final = (
    # Best seller first. An item's rank in the shop is its place on the shelf, then the shelf's.
    "paracetamol nasal-spray cough-syrup throat-lozenges aspirin cold-balm flu-sachets thermometer",
    "toothpaste toothbrush mouthwash dental-floss whitening-toothpaste interdental-brushes"
    " denture-tablets denture-glue",
    "tissues shower-gel deodorant cotton-pads hand-soap razor-blades cotton-buds nail-scissors",
    "hand-cream lip-balm face-cream body-lotion acne-gel eczema-cream zinc-ointment scar-gel",
    "ibuprofen heat-patches muscle-gel magnesium elastic-bandage arnica-ointment kinesio-tape"
    " cold-pack",
    "vitamin-d vitamin-c multivitamin zinc omega-3 folic-acid vitamin-b12 biotin",
    "plasters disinfectant gauze medical-tape wound-gel blister-plasters disposable-gloves"
    " tweezers",
    "antacid probiotics diarrhoea-tablets laxative-drops peppermint-oil charcoal-tablets psyllium"
    " sitz-bath-salt",
    "cetirizine eye-drops contact-lens-solution allergy-spray saline-rinse pollen-mask lens-case"
    " sleep-mask",
    "diapers wet-wipes baby-cream infant-formula teething-gel baby-shampoo nursing-pads"
    " nipple-balm",
    "sun-cream-50 after-sun-gel insect-repellent travel-sickness-gum electrolyte-sachets"
    " ear-plugs compression-socks tick-remover",
    "shampoo conditioner hair-brush dandruff-shampoo hair-mask caffeine-shampoo hair-dye"
    " scalp-serum",
    "tampons condoms sanitary-pads intimate-wash lubricant cranberry-capsules ovulation-test"
    " prenatal-vitamins",
    "herbal-tea valerian-drops lavender-oil protein-shake glucose-strips lancets body-scale"
    " bed-protectors",
)

SENSITIVE: Final = frozenset(
    (
        *("antidepressant", "chlamydia-self-test", "emergency-contraceptive", "erection-pills"),
        *("haemorrhoid-cream", "hair-loss-tonic", "hiv-self-test", "incontinence-pads", "insulin"),
        *("nicotine-patches", "pregnancy-test", "sleeping-pills", "wart-remover"),
        "weight-loss-pills",
    )
)


class Errand(NamedTuple):
    """A reason to come: how many customers in a thousand have it, and what it calls for."""

    per_thousand: int
    items: str
    """Most wanted first."""
    brief: bool = False
    """Whether they buy little else; brief baskets resemble one another and hide in a crowd."""


ERRANDS: Final = (
    Errand(
        130,
        "cough-syrup nasal-spray paracetamol throat-lozenges tissues flu-sachets cold-balm"
        " thermometer",
    ),
    Errand(70, "diapers wet-wipes baby-cream infant-formula teething-gel baby-shampoo"),
    Errand(
        55,
        "sun-cream-50 insect-repellent after-sun-gel travel-sickness-gum diarrhoea-tablets"
        " electrolyte-sachets plasters ear-plugs compression-socks",
    ),
    Errand(55, "face-cream acne-gel body-lotion eczema-cream scar-gel wart-remover zinc-ointment"),
    Errand(45, "toothpaste toothbrush dental-floss mouthwash interdental-brushes"),
    Errand(45, "cetirizine eye-drops allergy-spray saline-rinse pollen-mask"),
    Errand(40, "ibuprofen muscle-gel magnesium elastic-bandage kinesio-tape heat-patches"),
    Errand(30, "glucose-strips lancets disinfectant", brief=True),
    Errand(30, "ovulation-test folic-acid prenatal-vitamins", brief=True),
    Errand(25, "valerian-drops sleep-mask lavender-oil herbal-tea", brief=True),
    Errand(25, "condoms lubricant intimate-wash cranberry-capsules", brief=True),
    Errand(
        25, "bed-protectors wet-wipes disposable-gloves zinc-ointment denture-tablets", brief=True
    ),
    Errand(20, "whitening-toothpaste throat-lozenges nicotine-patches mouthwash", brief=True),
    Errand(20, "biotin caffeine-shampoo scalp-serum zinc", brief=True),
    Errand(20, "protein-shake body-scale herbal-tea vitamin-b12", brief=True),
    Errand(20, "psyllium sitz-bath-salt laxative-drops", brief=True),
    Errand(
        70,
        "pregnancy-test nicotine-patches antidepressant sleeping-pills hiv-self-test"
        " emergency-contraceptive haemorrhoid-cream erection-pills insulin hair-loss-tonic"
        " wart-remover incontinence-pads weight-loss-pills chlamydia-self-test",
        brief=True,
    ),
)


class Habit(NamedTuple):
    """Customers who buy all of ``items`` also buy ``sensitive``, in this percentage of the cases."""

    items: str
    sensitive: str
    percent: int


HABITS: Final = (
    Habit("ovulation-test", "pregnancy-test", 60),
    Habit("ovulation-test folic-acid", "pregnancy-test", 60),
    Habit("prenatal-vitamins", "pregnancy-test", 20),
    Habit("lancets", "insulin", 55),
    Habit("glucose-strips lancets", "insulin", 50),
    Habit("bed-protectors", "incontinence-pads", 65),
    Habit("denture-tablets", "incontinence-pads", 15),
    Habit("scalp-serum", "hair-loss-tonic", 65),
    Habit("biotin caffeine-shampoo", "hair-loss-tonic", 65),
    Habit("sitz-bath-salt", "haemorrhoid-cream", 65),
    Habit("psyllium laxative-drops", "haemorrhoid-cream", 45),
    Habit("valerian-drops sleep-mask", "sleeping-pills", 75),
    Habit("valerian-drops", "sleeping-pills", 15),
    Habit("lavender-oil herbal-tea", "antidepressant", 60),
    Habit("omega-3 lavender-oil", "antidepressant", 60),
    Habit("throat-lozenges whitening-toothpaste", "nicotine-patches", 55),
    Habit("protein-shake body-scale", "weight-loss-pills", 70),
    Habit("body-scale", "weight-loss-pills", 40),
    Habit("condoms intimate-wash", "chlamydia-self-test", 65),
    Habit("intimate-wash", "chlamydia-self-test", 20),
    Habit("condoms lubricant", "hiv-self-test", 40),
    Habit("lubricant", "erection-pills", 25),
    Habit("condoms", "emergency-contraceptive", 8),
)

STORIES: Final = (
    # The care home's order: nobody else's basket resembles it, so any few items of it give it away.
    "paracetamol nasal-spray cough-syrup aspirin cold-balm thermometer toothpaste toothbrush"
    " denture-tablets denture-glue tissues shower-gel hand-soap cotton-buds nail-scissors"
    " hand-cream body-lotion eczema-cream zinc-ointment heat-patches muscle-gel elastic-bandage"
    " vitamin-d vitamin-b12 plasters disinfectant gauze medical-tape disposable-gloves"
    " laxative-drops psyllium eye-drops wet-wipes compression-socks herbal-tea glucose-strips"
    " lancets bed-protectors incontinence-pads insulin sleeping-pills antidepressant",
    # The traveller: a neighbour who saw the tick remover and the lens case knows the rest.
    "sun-cream-50 insect-repellent tick-remover lens-case hiv-self-test",
    # The young parents, and a test that they have told nobody about.
    "diapers infant-formula nursing-pads nipple-balm pregnancy-test",
)

TICKETS = 1 << 14
_BLOCK = 1 << 14
_LONGEST = 40
_PERCENT_FOR_THE_ERRAND = 70
_STORIES_FROM = 100
"""Smaller samples hold no stories: three odd baskets would be a large share of them."""


@checked
def pharmacy(baskets: int = 2000, *, seed: int = 7) -> tuple[Records, frozenset[str]]:
    """Invented baskets of a pharmacy, and its sensitive items; the same seed gives the same bytes.

    Parameters
    ----------
    baskets
        The number of baskets. The vocabulary is always the whole shop, even if a small sample lacks an item.
    seed
        Random seed of everything that is drawn.

    Returns
    -------
    tuple
        The baskets, and the names of the sensitive items.

    Raises
    ------
    PolicyError
        A number below 0.

    Examples
    --------
    >>> records, sensitive = pharmacy()
    >>> len(records), records.n_items, len(sensitive)
    (2000, 126, 14)
    >>> records.record(28)
    ('ovulation-test', 'pregnancy-test', 'prenatal-vitamins', 'vitamin-d')
    """
    shop = _Shop()
    stories = {
        baskets * number // (len(STORIES) + 1): shop.codes(story)
        for number, story in enumerate(STORIES, start=1)
        if baskets >= _STORIES_FROM
    }
    rng = np.random.default_rng(seed)
    lengths, items = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
    for first in range(0, baskets, _BLOCK):
        held = shop.baskets(min(_BLOCK, baskets - first), rng)
        for row, codes in stories.items():
            if first <= row < first + len(held):
                held[row - first] = False
                held[row - first, codes] = True
        lengths.append(held.sum(axis=1, dtype=np.int64))
        items.append(np.nonzero(held)[1].astype(np.int32))
    records = Records.from_codes(np.concatenate(lengths), np.concatenate(items), shop.vocabulary)
    return records, SENSITIVE


class _Shop:
    """The tables above as urns: drawing an item is drawing one of an urn's numbered tickets.

    Tickets are whole numbers and drawn as whole numbers, so that no platform's floating point or
    mathematics library has a say in what the baskets hold.
    """

    def __init__(self) -> None:
        shelves = [shelf.split() for shelf in SHELVES]
        by_rank = [name for place in zip(*shelves, strict=True) for name in place]
        self.vocabulary = tuple(sorted({*by_rank, *SENSITIVE}))
        self._code_of = {name: code for code, name in enumerate(self.vocabulary)}
        self._everyday = urn(self.codes(" ".join(by_rank)), zipf(len(by_rank)))
        wanted = [self.codes(errand.items) for errand in ERRANDS]
        self._wanted = np.stack([urn(codes, zipf(len(codes))) for codes in wanted])
        shares = [errand.per_thousand for errand in ERRANDS]
        # The number after the last errand is the customer who came for nothing in particular.
        self._errands = urn(range(len(ERRANDS) + 1), [*shares, 1000 - sum(shares)])
        self._is_brief = np.array([errand.brief for errand in ERRANDS] + [False])
        self._ordinary_lengths = urn(range(1, _LONGEST + 1), _long_tailed(_LONGEST))
        self._brief_lengths = urn(range(1, 7), [30, 32, 20, 11, 5, 2])

    def codes(self, names: str) -> list[int]:
        """The codes of names separated by blanks, in that order."""
        return [self._code_of[name] for name in names.split()]

    def baskets(self, count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Which basket holds which item; an item scanned twice is held once."""
        errand = self._errands[rng.integers(TICKETS, size=count)]
        ticket = rng.integers(TICKETS, size=count)
        scans = np.where(
            self._is_brief[errand], self._brief_lengths[ticket], self._ordinary_lengths[ticket]
        )
        basket = np.repeat(np.arange(count, dtype=np.int64), scans)
        ticket = rng.integers(TICKETS, size=len(basket))
        code = self._everyday[ticket]
        on_errand = rng.integers(100, size=len(basket)) < _PERCENT_FOR_THE_ERRAND
        on_errand &= errand[basket] < len(ERRANDS)
        code[on_errand] = self._wanted[errand[basket[on_errand]], ticket[on_errand]]
        held = np.zeros((count, len(self.vocabulary)), dtype=bool)
        held[basket, code] = True
        for habit in HABITS:
            tempted = held[:, self.codes(habit.items)].all(axis=1)
            tempted &= rng.integers(100, size=count) < habit.percent
            held[tempted, self._code_of[habit.sensitive]] = True
        return held


def urn(values: Iterable[int], weights: Iterable[int]) -> NDArray[np.int64]:
    """The values, each on as many of the tickets as its weight entitles it to."""
    bounds = np.cumsum(np.array([0, *weights], dtype=np.int64))
    return np.repeat(np.array([*values], dtype=np.int64), np.diff(bounds * TICKETS // bounds[-1]))


def zipf(count: int) -> Iterator[int]:
    """Weights that fall as one over the rank, flattened at the top: no item is in every basket."""
    return (10**6 // (rank + 2) for rank in range(1, count + 1))


def _long_tailed(longest: int) -> Iterator[int]:
    """Weights of the lengths 1, 2, …: most baskets end soon, one in twenty goes on for long."""
    return (19 * 10**6 * 4**n // 5**n // 5 + 10**6 * 13**n // 14**n // 14 for n in range(longest))
