"""Lists that are nearly right: slips of the keyboard, several names on a line, files in the wrong place."""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import typed
import withhold as wh
from withhold.data.misspelt import (
    A_TYPO,
    SHORT,
    _allowed,
    _is_code,
    _slipped,
    bare,
    meant_by,
    proposed_for,
    slips,
    variants_of,
    whole,
)
from withhold.data.names import nearest
from withhold.data.same_things import same_things
from withhold.data.variants import forms_of
from withhold.errors import InputError

SHOP = [
    ["liquor", "hygiene articles", "beer"],
    ["liquor", "bread"],
    ["red/blush wine", "bread"],
    ["hygiene articles", "milk"],
    ["bread", "milk", "beer"],
] * 20
ITEMS = sorted({item for basket in SHOP for item in basket})


def plain_slips(name: str, other: str) -> int:
    """The same, as it is defined: the whole table."""
    table = {(i, -1): i + 1 for i in range(-1, len(name))}
    table |= {(-1, j): j + 1 for j in range(-1, len(other))}
    for i in range(len(name)):
        for j in range(len(other)):
            ways = [
                table[i - 1, j] + 1,
                table[i, j - 1] + 1,
                table[i - 1, j - 1] + (name[i] != other[j]),
            ]
            if i and j and name[i - 1] == other[j] and name[i] == other[j - 1]:
                ways.append(table[i - 2, j - 2] + 1)
            table[i, j] = min(ways)
    return table[len(name) - 1, len(other) - 1]


WORD = st.text("abc", max_size=8)


@given(WORD, WORD, st.integers(0, 4))
def test_slips_are_counted_as_they_are_defined(name, other, most):
    assert slips(name, other, most) == min(plain_slips(name, other), most + 1)


@given(st.randoms(use_true_random=False), st.sampled_from([6, 8, 10, 14]))
def test_no_slip_is_overlooked_among_many_names(rng: random.Random, letters):
    """What is left out before names are compared letter by letter cannot be near."""
    word = "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(letters))
    wrong = list(word)
    for _ in range(2 if letters < 10 else 3):
        place = rng.randrange(len(wrong) - 1)
        match rng.randrange(4):
            case 0:
                wrong[place], wrong[place + 1] = wrong[place + 1], wrong[place]
            case 1:
                wrong[place] = rng.choice("xyz")
            case 2:
                wrong.insert(place, rng.choice("xyz"))
            case _ if len(wrong) > letters - 1:
                del wrong[place]
    name = "".join(wrong)
    most = 1 if len(name) < 6 else 2 if len(name) < 10 else 3
    expected = plain_slips(name, word) <= most
    others = ["quite another thing", "zz", "b12"]
    assert not expected or meant_by([name], [*others, word]) == {name: word}


def plain_meant(name: str, present: list[str]) -> str | None:
    """What was meant by one name, which is compared with every other."""
    for other in present:
        if whole(name) in (whole(other), bare(other)) or bare(name) in (whole(other), bare(other)):
            return other
    if _is_code(bare(name)):
        return None
    there = {bare(other): other for other in reversed(present) if not _is_code(bare(other))}
    alike = [
        word
        for word in there
        if min(len(word), len(bare(name))) >= SHORT
        and (word[:2] == bare(name)[:2] or word[-2:] == bare(name)[-2:])
    ]
    if near := nearest(bare(name), alike, cutoff=A_TYPO):
        return there[near]
    places = {bare(other): place for place, other in reversed([*enumerate(present)])}
    found = [
        (n, places[word], word)
        for word in there
        if _allowed(len(bare(name))) and (n := _slipped(name, there[word])) is not None
    ]
    return there[min(found)[2]] if found else None


LETTERS = st.text("abcé\u0161 -", min_size=1, max_size=14).map(str.strip).filter(bool)


@given(st.lists(LETTERS, unique=True, max_size=40), st.lists(LETTERS, unique=True, max_size=8))
def test_many_names_are_compared_as_each_would_be_by_itself(present, names):
    expected = {name: other for name in names if (other := plain_meant(name, present))}
    assert meant_by(names, present) == expected


def test_thousands_of_names_are_compared_with_each_other_at_once():
    """More pairs of names than are looked at together, some of them misspelt."""
    rng = random.Random(5)
    words = sorted({"".join(rng.choices("aeioulmnrst", k=rng.randint(4, 12))) for _ in range(1500)})
    listed = ["".join(rng.choices("aeioulmnrst", k=rng.randint(4, 12))) for _ in range(40)]
    listed += [word[:2] + word[3:] for word in words[::50]]
    listed = [name for name in dict.fromkeys(listed) if name not in words]
    expected = {name: other for name in listed if (other := plain_meant(name, words))}
    assert len(expected) > 20
    assert meant_by(listed, words) == expected


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("liqour", "liquor"),
        ("liquro", "liquor"),
        ("lqiuor", "liquor"),
        ("liqor", "liquor"),
        ("LIQOUR", "liquor"),
        ("ber", None),
        ("baer", "beer"),
        ("higiene articel", "hygiene articles"),
        ("hygeine artciles", "hygiene articles"),
        ("hygiene", None),
        ("breakfast", None),
    ],
)
def test_names_with_slips_are_taken_for_misspelt_ones(wrong, meant):
    assert meant_by([wrong], ITEMS) == ({} if meant is None else {wrong: meant})


def test_codes_and_short_words_are_never_slips():
    present = ["E11.9", "b12", "vitamin x", "rib fracture", "hiv"]
    assert meant_by(["E11.8", "b13", "hip fracture", "hpv"], present) == {}


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = "".join(",".join(basket) + "\n" for basket in SHOP)
    Path("shop.csv").write_text(lines)
    return tmp_path


def run(*words):
    return typed.run(*words)


RHO = ("--rho", "0.5", "--sensitive")


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)


@pytest.mark.parametrize("listed", ["liqour,hygiene articles", "liquor,higiene articel"])
@pytest.mark.parametrize("verb", ["audit", "anonymize"])
def test_a_name_with_slips_stops_unless_it_is_meant(desk, verb, listed):
    asked = (verb, "shop.csv", *RHO, listed, *(("-o", "out.csv") if verb == "anonymize" else ()))
    refused = run(*asked)
    assert (refused.exit_code, "another spelling" in refused.output) == (3, True), refused.output
    assert not (desk / "out.csv").exists()
    assert run(*asked, "--allow-unknown").exit_code in (0, 1)


@pytest.mark.parametrize("verb", [wh.audit, wh.anonymize])
def test_a_name_with_slips_raises_in_python(verb):
    model = wh.RhoUncertainty("0.5", {"liqour", "hygiene articles"})
    with pytest.raises(InputError, match=r"'liqour' [(]there: 'liquor'"):
        verb(SHOP, model)
    assert verb(SHOP, model, allow_unknown=True) is not None


def test_the_line_of_a_wrong_name_is_named(desk):
    Path("sens.txt").write_text("hygiene articles\n\nliqour\n")
    refused = run("audit", "shop.csv", *RHO, "sens.txt")
    assert refused.exit_code == 3
    assert refused.output.startswith("withhold: sens.txt, line 3: 1 of 2 sensitive items")


@pytest.mark.parametrize(
    "line", ["liquor;alcohol", "rum,liquor,milk", "rum\tliquor", "liquor | rum"]
)
def test_several_names_on_a_line_stop(desk, line):
    Path("sens.txt").write_text(f"hygiene articles\nbeer\n{line}\n")
    refused = run("audit", "shop.csv", *RHO, "sens.txt")
    assert refused.exit_code == 3, refused.output
    assert "sens.txt, line 3: " in refused.output
    assert "holds several names" in refused.output
    assert "write one name per line" in refused.output
    assert run("audit", "shop.csv", *RHO, "sens.txt", "--allow-unknown").exit_code in (0, 1)


def test_several_names_of_which_none_occurs_are_a_warning(desk):
    Path("sens.txt").write_text("hygiene articles\nrum;gin\n")
    found = run("audit", "shop.csv", *RHO, "sens.txt")
    assert (found.exit_code in (0, 1), "never occurs: 'rum;gin'" in found.output) == (True, True)


def test_data_given_as_the_list_is_no_bug(desk):
    Path("sens.txt").write_text("liquor\nhygiene articles\n")
    long = ",".join(f"item {n}. of many" for n in range(60))
    Path("shop.csv").write_text(f"{long}\nliquor\nsweet beer,whole milk\n")
    refused = run("audit", "sens.txt", *RHO, "shop.csv")
    assert refused.exit_code == 3, refused.output
    assert "the list looks like records" in refused.output


def test_one_item_with_a_blank_is_not_a_swapped_list(desk):
    Path("shop.dat").write_text("beer pill\nbeer\n" * 9)
    done = run("audit", "shop.dat", "--rho", "0.5", "--sensitive", "morning pill,")
    assert (done.exit_code, "looks like records" in done.stderr) == (3, False)


def test_a_name_with_a_slash_can_be_typed(desk):
    for listed in ("liquor,red/blush wine", "red/blush wine,"):
        found = run("audit", "shop.csv", *RHO, listed, "--json")
        assert found.exit_code in (0, 1), found.output
        assert '"unknown": []' in found.stdout
    refused = run("audit", "shop.csv", *RHO, "red/blush wine")
    assert refused.exit_code == 3
    assert "name an existing file" in refused.output
    assert "'red/blush wine,'" in refused.output


def test_python_warns_once_and_the_command_line_says_it_once(desk):
    model = wh.RhoUncertainty("0.5", {"liquor", "chocolate"})
    said = "1 of 2 sensitive items never occurs: 'chocolate'"

    def sweep():
        return wh.sweep(SHOP, model, vary={"rho": ["0.4", "0.6"]})

    for verb in (lambda: wh.anonymize(SHOP, model), lambda: wh.audit(SHOP, model), sweep):
        with pytest.warns(wh.WithholdWarning, match=said) as caught:
            verb()
        assert [Path(each.filename).name for each in caught] == [Path(__file__).name]
    with pytest.warns(wh.WithholdWarning, match=said):
        wh.anonymize_parts("shop.csv", model, "parts", reading={"format": "basket"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wh.anonymize(SHOP, model, allow_unknown=True)
    for verb in (("audit",), ("anonymize", "-o", "out.csv"), ("sweep", "--vary", "rho=0.4,0.6")):
        told = (
            run(verb[0], "shop.csv", *RHO[:2], "--sensitive", "liquor,chocolate", *verb[1:])
            if verb[0] != "sweep"
            else run("sweep", "shop.csv", *RHO[2:], "liquor,chocolate", *verb[1:])
        )
        assert told.stderr.count("never occurs") == 1, told.stderr


def test_an_audit_is_as_true_as_its_verdict():
    broken = wh.audit(SHOP, wh.RhoUncertainty("0.1", {"liquor"}))
    holds = wh.audit(SHOP, wh.RhoUncertainty("0.9999", {"red/blush wine"}), allow_unknown=True)
    for found in (broken, holds):
        assert bool(found) == bool(found.verdict)
    assert not broken


PHARMACY = [
    ["insulin", "HIV self-test", "soap"],
    ["insulin", "Insulin Pen", "incontinence underwear"],
    ["HIV self-test", "milk"],
    ["soap", "milk", "F32"],
] * 5
VARIANTS = [*PHARMACY, ["HIV self-tets", "milk"], ["HIV self-tets", "soap"], ["vitamin-d", "F33"]]


@pytest.mark.parametrize("wrong", ["HIV test", "incontinence"])
def test_a_name_that_is_only_alike_stops_too(wrong):
    model = wh.RhoUncertainty("0.9", {"insulin", "soap", wrong})
    with pytest.raises(InputError, match=rf"1 of 3 .* occurs: '{wrong}' [(]did you mean"):
        wh.audit(PHARMACY, model)
    assert wh.anonymize(PHARMACY, model, allow_unknown=True)
    # Whoever lists both does not mean the one by the other.
    both = wh.RhoUncertainty("0.9", {"HIV self-test", "incontinence underwear", "insulin", wrong})
    with pytest.warns(wh.WithholdWarning, match=rf"1 of 4 .* occurs: '{wrong}'$"):
        assert wh.anonymize(PHARMACY, both)


def test_proposals_begin_alike_and_leave_codes_and_short_names_alone():
    known = ["HIV self-test", "drugs: hiv self-tests", "F32.1", "bill", "beer"]
    assert proposed_for(["HIV test"], known) == {"HIV test": "HIV self-test"}
    assert proposed_for(["drugs: hiv test"], known[1:]) == {"drugs: hiv test": known[1]}
    assert proposed_for(["F32.2", "bil", "rubber", "self-test"], known) == {}


def test_most_of_a_list_must_occur_but_codes_are_from_catalogues():
    words = {"insulin", "soap", "antidepressant", "wart remover"}
    assert wh.anonymize(PHARMACY, wh.RhoUncertainty("0.9", words), allow_unknown=True)
    with pytest.warns(wh.WithholdWarning, match="2 of 4 sensitive items never occur"):
        assert wh.anonymize(PHARMACY, wh.RhoUncertainty("0.9", words))
    with pytest.raises(InputError, match=r"3 of 5 .*; most of the list would protect nothing"):
        wh.audit(PHARMACY, wh.RhoUncertainty("0.9", {*words, "sedative"}))
    catalogue = {f"F{n}" for n in range(20, 60)}
    with pytest.warns(wh.WithholdWarning, match="39 of 42 sensitive items never occur"):
        wh.anonymize(PHARMACY, wh.RhoUncertainty("0.9", {"insulin", "soap", *catalogue}))


def test_an_item_one_slip_from_a_listed_one_stops():
    model = wh.RhoUncertainty("0.9", {"HIV self-test", "vitamin-c", "F32", "soap"})
    data = [*VARIANTS, ["vitamin-c"]]
    with pytest.raises(InputError, match=r"'HIV self-tets' [(]2, listed: 'HIV self-test'[)]\. "):
        wh.anonymize(data, model)
    assert wh.anonymize(data, model, allow_unknown=True).verdict
    also = wh.RhoUncertainty("0.9", {*model.sensitive, "HIV self-tets"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wh.anonymize(data, also).verdict


@pytest.mark.parametrize("other", ["H.I.V.", "ＨＩＶ", "HÍV"])
def test_an_item_written_with_points_or_accents_stops(other):
    rows = [["HIV", "tea"], ["tea"], [other, "tea"], ["C4.1", "C41"]] * 5
    asked = wh.RhoUncertainty("0.9", {"HIV", "C4.1"})
    with pytest.raises(InputError, match="hardly differ from sensitive items") as caught:
        wh.anonymize(rows, asked)
    assert repr(other) in str(caught.value)
    assert "'C41'" not in str(caught.value)
    with pytest.raises(InputError, match=f"'{other}' instead of 'HIV'|{other}"):
        wh.anonymize(rows[1:3], wh.RhoUncertainty("0.9", {"HIV", "tea"}))
    assert wh.anonymize(rows, asked, allow_unknown=True)


def test_one_slip_and_no_more():
    others = [
        "insuline",
        "insulines",
        "insulation",
        "milk",
        "silk",
        "tin",
        "bin",
        "vitamin-d",
        "b13",
    ]
    listed = ["insulin", "milk", "tin", "vitamin-c", "b12"]
    expected = {"insuline": "insulin", "silk": "milk"}
    assert variants_of(listed, [name for name in others if name != "milk"]) == expected


def test_an_item_one_slip_away_in_another_part_stops(tmp_path):
    lines = [*(["tea,HIV self-test"] * 30), *(["tea,HIV self-tets"] * 30)]
    (tmp_path / "shop.csv").write_text("\n".join(lines) + "\n")
    model = wh.RhoUncertainty("0.9", {"HIV self-test"})
    with pytest.raises(InputError, match=r"'HIV self-tets' [(]listed: 'HIV self-test'[)]"):
        wh.anonymize_parts(
            str(tmp_path / "shop.csv"),
            model,
            tmp_path / "parts",
            part_records=30,
            reading={"format": "basket"},
        )
    with pytest.raises(InputError, match=r"'HIV self-tets' [(]listed: 'HIV self-test'[)]"):
        wh.audit_parts(str(tmp_path / "shop.csv"), model, reading={"format": "basket"})


@pytest.mark.parametrize(
    "model", [wh.RhoUncertainty("0.9", {"HIV"}), wh.Coherence(h="0.9", k=2, p=1, private={"HIV"})]
)
def test_an_audit_by_parts_stops_and_warns_as_one_in_memory(tmp_path, model):
    (tmp_path / "shop.csv").write_text("tea,HIV\ntea,HIV test\n" * 30 + "tea,hiv\n")
    how = {"reading": {"format": "basket"}, "part_records": 10}
    with pytest.raises(InputError, match="in other spellings, too"):
        wh.audit_parts(str(tmp_path / "shop.csv"), model, **how)
    assert (
        wh.audit_parts(str(tmp_path / "shop.csv"), model, allow_unknown=True, **how).records == 61
    )
    (tmp_path / "shop.csv").write_text("tea,HIV\ntea,HIV test\n" * 30)
    (begun,) = wh.audit_parts(str(tmp_path / "shop.csv"), model, **how).unknown
    assert "'HIV test' (listed: 'HIV')" in str(begun)


def test_forms_of_a_listed_item_are_told(desk):
    Path("pharmacy.csv").write_text("".join(",".join(row) + "\n" for row in PHARMACY))
    asked = ("pharmacy.csv", "--rho", "0.9", "--sensitive", "insulin,soap")
    said = (
        "1 of 7 items may be a form of one of the sensitive items and is not listed: 'Insulin Pen' "
        "(listed: 'insulin')"
    )
    for verb in (("audit",), ("anonymize", "-o", "out.csv"), ("sweep", "--vary", "rho=0.8,0.9")):
        rest = asked if verb[0] != "sweep" else (asked[0], *asked[3:])
        told = run(verb[0], *rest, *verb[1:])
        assert (told.exit_code in (0, 1), told.stderr.count(said)) == (True, 1), told.stderr
        told = run(
            verb[0], *rest, *verb[1:], "--allow-unknown", *(["--force"] * (verb[0] == "anonymize"))
        )
        assert "a form of" not in told.stderr
    report = ("--force", "--report", "--edition", "external")
    assert run("anonymize", *asked, "-o", "out.csv", *report).exit_code == 0
    assert said in Path("out.csv.internal.json").read_text()
    # Strangers must not learn that there is such an item, nor how many there are.
    assert json.loads(Path("out.csv.manifest.json").read_text())["unknown"] == []
    assert "form of" not in Path("out.csv.report.html").read_text(encoding="utf-8")


PENS = (
    *(
        "Insulin pen",
        "Insulin",
        "2x Insulin pens",
        "Novo Insulin pens",
        "Pens insulin",
        "Insulin p.",
    ),
    *("Ins. pens", "INSULIN-PENS 10", "pen of insulin, small"),
)


def test_forms__by_their_words():
    assert same_things(["Insulin pens"], PENS) == dict.fromkeys(PENS, "Insulin pens")
    assert same_things(["Ins. pens"], ["Insulin pens"]) == {"Insulin pens": "Ins. pens"}
    others = ["Test pens", "Insulation", "Insul", "Ind. pens", "10", "p.", "Hand cream"]
    assert not same_things(["Insulin pens"], others)
    assert not same_things(["HIV", "lens"], ["hives", "glass"])
    assert same_things(["box", "glass"], ["boxes", "Glasses"]) == {
        "boxes": "box",
        "Glasses": "glass",
    }
    # Numbers, codes and words of two letters say too little.
    assert not same_things(["12", "E11.9", "D 3"], ["12 34", "E11.8", "E11", "D 4", "D"])


def test_real_names__are_rarely_forms_of_one_another(real_data):
    names = wh.read(real_data / "groceries.csv.gz").occurring
    told = [name for name in names if same_things([name], [each for each in names if each != name])]
    assert len(told) == 43, told


def test_dates_and_longer_words_are_no_forms():
    present = {"flu": 1, "flu@2015": 1, "flute": 1, "drugs: flu shot": 1, "common flu": 1}
    found = forms_of({"flu", "ghost"}, present, what="items")
    assert found.names == ("common flu", "drugs: flu shot")
    assert forms_of({"flu"}, {"flu shot": 3}, what="items") is None
    assert forms_of({"1"}, {"1": 1, "2": 4}, what="items") is None
