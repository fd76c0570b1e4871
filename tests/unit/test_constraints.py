"""Who wants what protected, from every source, and what is wrong with some of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_matrix

import withhold as wh
from asking import anonymize, audit, personal, verify
from withhold import Constraints, Hierarchy, PersonalRhoUncertainty, Records, Status
from withhold.errors import InputError, PolicyError
from withhold.formats.constraints import read_constraints
from withhold.registry import model_from

TABLE = Records.from_lists([["a", "b"], ["b"], ["c"]])
PROTECTED = [("a", "c"), (), ("b",)]


def protected(constraints: Constraints) -> list[tuple[str, ...]]:
    return [constraints.of_record(row) for row in range(constraints.n_records)]


def test_mapping_matrix_sparse_and_function__say_the_same():
    matrix = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0]], dtype=bool)
    sources = [
        {0: ["a", "c"], 2: ["b"]},
        matrix,
        csr_matrix(matrix),
        lambda record: {"a": ["a", "c"], "b": [], "c": ["b"]}[record[0]],
    ]
    made = [Constraints.of(source, TABLE) for source in sources]
    assert all(protected(each) == PROTECTED for each in made)
    assert len({each.digest() for each in made}) == 1


def test_repr__tells_how_much_and_nobody_s_items():
    table = Records.from_lists([["aspirin", "milk"], ["milk"], ["milk"]])
    constraints = Constraints.of({0: ["aspirin"]}, table)
    assert repr(constraints) == "<Constraints records=3 items=1 pairs=1>"
    shown = repr(anonymize(table, personal("0.5", constraints)))
    assert shown.startswith("<Release model=personal-rho verdict=HOLDS, withheld ")
    assert shown.endswith("<Records records=3 occurrences=4 items=2>>"), shown
    assert "aspirin" not in shown


def test_everybody_and_taking_back():
    made = Constraints.of({"*": ["a", "z"], 1: ["!a", "b"]}, TABLE)
    assert protected(made) == [("a", "z"), ("b", "z"), ("a", "z")]
    assert made.shared_by_all() is None
    assert Constraints.of({"*": ["a"]}, TABLE).shared_by_all() == {"a"}
    assert protected(made.and_for_all(["c"]))[1] == ("b", "c", "z")


def test_both_forms__hold_the_same():
    few = Records.from_lists([[str(item)] for item in range(500)])
    sparse = Constraints.of({row: [str(row)] for row in range(500)}, few)
    assert len(sparse.columns) == 500
    dense = Constraints.of({row: [str(row), *map(str, range(400))] for row in range(500)}, few)
    assert dense.bits.shape[0] == 500
    assert sparse.of_record(450) == ("450",)
    assert "450" in dense.of_record(450)
    assert "450" not in dense.of_record(451)
    assert sparse.n_pairs == 500


def test_record_ids__name_records():
    table = Records.from_lists([["a"], ["b"]], record_ids=["u", "v"])
    assert protected(Constraints.of({"v": ["a"]}, table)) == [(), ("a",)]


def test_category__stands_for_its_items():
    class Tree:
        def __contains__(self, name):
            return name == "letters"

        def leaves_under(self, name):
            return ["a", "b"]

    made = Constraints.of({0: ["letters"], 1: ["c"]}, TABLE, hierarchy=Tree())
    assert protected(made) == [("a", "b"), ("c",), ()]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({7: ["a"]}, "a record that the data does not have"),
        ({"*": ["!a"]}, "not for everybody"),
        ({0: "a"}, "not a collection"),
        (np.zeros((2, 2), dtype=bool), "shape"),
        (3, "a mapping, a matrix or a function"),
    ],
)
def test_wrong_sources__are_refused(source, said):
    with pytest.raises(InputError, match=said):
        Constraints.of(source, TABLE)


def test_csv_and_parquet(tmp_path):
    csv, parquet = tmp_path / "wishes.csv", tmp_path / "wishes.parquet"
    csv.write_text("record,item\n1,a\n1,c\n3,b\n*,d\n2,!d\n", encoding="utf-8")
    pl.DataFrame(
        {"record": ["1", "1", "3", "*", "2"], "item": ["a", "c", "b", "d", "!d"]}
    ).write_parquet(parquet)
    for path in (csv, parquet):
        assert protected(read_constraints(path, TABLE)) == [("a", "c", "d"), (), ("b", "d")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("9,a", "line 3: names a record that the data does not have"),
        ("*,!a", "line 3: takes an item back for everybody"),
        ("1,", "line 3: names no item"),
    ],
)
def test_csv__mistakes_come_with_their_line(tmp_path, line, said):
    path = tmp_path / "wishes.csv"
    path.write_text(f"record,item\n1,a\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_constraints(path, TABLE)


def test_csv__without_such_columns_says_what_to_call_them(tmp_path):
    (tmp_path / "wishes.csv").write_text("antidepressant\ninsulin\n")
    with pytest.raises(InputError, match="call its columns record and item"):
        read_constraints(tmp_path / "wishes.csv", TABLE)


@pytest.mark.parametrize("first", ["1,a", "*,a", '"1","a"', "who,what", "3;b"])
def test_csv__without_a_header_loses_no_wish(tmp_path, first):
    path = tmp_path / "wishes.csv"
    path.write_text(first + "\n" + first.replace("1", "2").replace("*", "3") + "\n")
    with pytest.raises(InputError, match="line 1: the first line does not name the columns"):
        read_constraints(path, TABLE)


@pytest.mark.parametrize(
    "header", ["Record,Item", "PATIENT_ID;diagnosis", "Kunde,Artikel", "id,items"]
)
def test_csv__with_usual_names_is_read(tmp_path, header):
    path = tmp_path / "wishes.csv"
    separator = ";" if ";" in header else ","
    path.write_text(f"{header}\n1{separator}a\n")
    assert protected(read_constraints(path, TABLE)) == [("a",), (), ()]


def test_numbers__of_wishes_and_people():
    few = Constraints.of({0: ["a", "b"], 2: ["a"]}, TABLE)
    assert (few.n_pairs, few.n_people) == (3, 2)
    everybody = Constraints.of({"*": ["a"]}, TABLE)
    assert (everybody.n_pairs, everybody.n_people) == (len(TABLE), len(TABLE))


def test_model__comes_back_from_its_parameters():
    model = PersonalRhoUncertainty("0.5", max_known=2)
    assert model_from(model.parameters()) == model


def test_constraints__are_needed_by_one_model_and_refused_by_others():
    with pytest.raises(PolicyError, match="needs constraints"):
        anonymize(TABLE, PersonalRhoUncertainty("0.5"))
    with pytest.raises(PolicyError, match="takes no constraints"):
        wh.audit(TABLE, wh.KmAnonymity(2, 1), constraints=Constraints.of({0: ["a"]}, TABLE))
    assert verify(TABLE, PersonalRhoUncertainty("0.5")).status is Status.UNDECIDED


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_known": -1},
        {"epsilon": "0.1"},
        {"epsilon": "0.1", "delta": "0.1"},
        {"test": "guess"},
    ],
)
def test_model__refuses_what_nobody_can_mean(wrong):
    with pytest.raises(PolicyError):
        PersonalRhoUncertainty("0.5", **wrong)


def test_memory__of_many_wishes_is_bits():
    table = Records.from_codes(
        np.ones(2000, dtype=np.int64),
        np.arange(2000, dtype=np.int32) % 3340,
        tuple(sorted(str(code) for code in range(3340))),
    )
    many = np.random.default_rng(1).random((2000, 3340)) < 0.4
    # 77,512 persons would take 33 MB.
    assert Constraints.of(many, table).nbytes < 2000 * 3400 / 8 + 1000


BANG = Records.from_lists([["a", "b"], ["b", "!z"], ["c"]], record_ids=["p1-x", "p2-x", "p3-x"])
NOBODY = {
    "nothing": {},
    "an empty list": {0: []},
    "taken back": {"p1-x": ["!a"]},
    "cancelled": {"p1-x": ["a", "!a"]},
    "cancelled for all": {"*": ["a"], 0: ["!a"], 1: ["!a"], 2: ["!a"]},
    "a function": lambda record: [],
    "a matrix": np.zeros((3, 4), dtype=bool),
}


@pytest.mark.parametrize("case", NOBODY)
def test_constraints_that_protect_nobody__are_an_error(case):
    model = personal("0.5", Constraints.of(NOBODY[case], BANG))
    for verb in (anonymize, audit):
        with pytest.raises(InputError, match="protect nobody") as caught:
            verb(BANG, model)
        assert "allow_unknown" in caught.value.remedy
    assert verify(BANG, model).status is Status.UNDECIDED
    assert anonymize(BANG, model, allow_unknown=True).verdict.status is Status.HOLDS


def test_taking_back__what_nobody_wished_for_is_told():
    made = Constraints.of({"p1-x": ["a", "!b"], "*": ["c"], "p3-x": ["!c"]}, BANG)
    (missing,) = made.unknown
    assert (
        str(missing)
        == "1 of 2 items taken back in the constraints was not wished for that record: '!b'"
    )
    release = anonymize(BANG, personal("0.9", made))
    assert release.unknown == (missing,)
    assert str(missing) in release.warnings
    assert Constraints.of({"p1-x": ["a", "!a"], "*": ["c"]}, BANG).unknown == ()


def test_taking_back__of_a_category_is_in_vain_only_if_all_of_it_is(tmp_path):
    tree = Hierarchy.from_edges(
        [("a", "ab"), ("b", "ab"), ("ab", "all"), ("c", "all"), ("!z", "all")]
    )
    path = tmp_path / "wishes.csv"
    path.write_text("record,item\n*,a\np1-x,!ab\np2-x,!c\n", encoding="utf-8")
    for made in (
        read_constraints(path, BANG, hierarchy=tree),
        Constraints.of({"*": ["a"], "p1-x": ["!ab"], "p2-x": ["!c"]}, BANG, hierarchy=tree),
    ):
        assert [each.names for each in made.unknown] == [("!c",)]
        assert made.unknown[0].total == 2


def test_taking_back__an_item_of_that_name_is_written_with_a_backslash(tmp_path):
    path = tmp_path / "wishes.csv"
    path.write_text("record,item\np1-x,a\np2-x,!z\n", encoding="utf-8")
    for made in (
        read_constraints(path, BANG),
        Constraints.of({"p1-x": ["a"], "p2-x": ["!z"]}, BANG),
    ):
        assert r"'!z' (write \!z for the item !z)" in str(made.unknown[0])
    with pytest.raises(InputError, match=r"protect nobody: .*write \\!z"):
        anonymize(BANG, personal("0.5", Constraints.of({1: ["!z"]}, BANG)))


def test_unknown_records__can_be_allowed_in_a_mapping():
    with pytest.raises(InputError, match=r"does not have.*did you mean 'p1-x'") as caught:
        Constraints.of({"P1-X": ["a"]}, BANG)
    assert "allow_unknown" in caught.value.remedy
    made = Constraints.of({"q": ["a"], 99: ["b"], "p3-x": ["c"]}, BANG, allow_unknown=True)
    assert protected(made) == [(), (), ("c",)]
    (missing,) = made.unknown
    assert (missing.names, missing.total) == (("q", "99"), 3)


def test_unknown_records__alone_protect_nobody_even_if_allowed(tmp_path):
    path = tmp_path / "wishes.csv"
    path.write_text("record,item\nq1,a\nq2,b\n", encoding="utf-8")
    for made in (
        read_constraints(path, BANG, allow_unknown=True),
        Constraints.of({"q1": ["a"], "q2": ["b"]}, BANG, allow_unknown=True),
    ):
        with pytest.raises(InputError, match="protect nobody: none of the 2 records") as caught:
            anonymize(BANG, personal("0.5", made), allow_unknown=True)
        assert "allow" not in caught.value.remedy
        # As long as somebody is protected, strangers are only counted.
        for_all = personal("0.5", made.and_for_all(["c"]))
        assert anonymize(BANG, for_all, allow_unknown=True).unknown[0].names == ("q1", "q2")


def test_nearest_spellings__of_records_and_categories(tmp_path):
    path = tmp_path / "wishes.csv"
    path.write_text("record,item\nP1-X,a\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2: .*did you mean 'p1-x'"):
        read_constraints(path, BANG)
    tree = Hierarchy.from_edges(
        [("a", "letters"), ("b", "letters"), ("c", "letters"), ("!z", "letters")]
    )
    made = Constraints.of({0: ["leters"]}, BANG, hierarchy=tree)
    with pytest.raises(InputError, match="did you mean 'letters'"):
        anonymize(BANG, personal("0.5", made))
