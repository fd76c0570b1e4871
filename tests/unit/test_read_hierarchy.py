"""Reading hierarchies: the same tree in every format, and what is no tree."""

from __future__ import annotations

import gzip
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import examples
from withhold import Hierarchy, read_hierarchy
from withhold.errors import InputError, PolicyError, WithholdError
from withhold.formats.hierarchy import READERS

TREE = Hierarchy.from_paths(
    [
        ("beer", "alcohol", "drinks", "*"),
        ("wine", "alcohol", "drinks", "*"),
        ("tea", "hot", "drinks", "*"),
        ("soap", "bath", "care", "*"),
    ]
)
ARX = "beer;alcohol;drinks;*\nwine;alcohol;drinks;*\ntea;hot;drinks;*\nsoap;bath;care;*\n"
SAME_TREE = {
    "arx": ("arx", ARX),
    "arx with commas and blanks": ("arx", ARX.replace(";", " , ")),
    "arx from Windows": ("arx", "\ufeff" + ARX.replace("\n", "\r\n")),
    "edges": (
        "edges",
        "child,parent\nbeer,alcohol\nwine,alcohol\nalcohol,drinks\ntea,hot\nhot,drinks\ndrinks,*\n"
        "soap,bath\nbath,care\ncare,*\n",
    ),
    "edges, parent first, any order": (
        "edges",
        'parent\tchild\n*\tcare\ncare\tbath\nbath\t"soap"\nalcohol\tbeer\nalcohol\twine\n'
        "drinks\talcohol\ndrinks\thot\nhot\ttea\n*\tdrinks\n",
    ),
    "edges without a header": (
        "edges",
        "beer,alcohol\nwine,alcohol\nalcohol,drinks\ntea,hot\nhot,drinks\ndrinks,*\n"
        "soap,bath\nbath,care\ncare,*\n",
    ),
    "levels": (
        "levels",
        "item,level2,level1\nbeer,alcohol,drinks\nwine,alcohol,drinks\ntea,hot,drinks\n\nsoap,bath,care\n",
    ),
    "levels, root included": (
        "levels",
        "item,group,department,root\n" + ARX.replace(";", ","),
    ),
    "levels, most general first": (
        "levels",
        "level1,level2,item\ndrinks,alcohol,beer\ndrinks,alcohol,wine\ndrinks,hot,tea\ncare,bath,soap\n",
    ),
    "amnesia": (
        "amnesia",
        "distinct\nname shop\ntype string\nheight 4\n\nalcohol has beer wine \nhot has tea \n"
        "bath has soap \n\ndrinks has alcohol hot \ncare has bath \n\n* has drinks care \n\n",
    ),
}


@pytest.fixture
def file(tmp_path):
    def write(content: str | bytes):
        path = tmp_path / "tree.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.mark.parametrize(("format", "content"), SAME_TREE.values(), ids=SAME_TREE.keys())
def test_the_same_tree__in_every_format(file, format, content):
    path = file(content)
    assert read_hierarchy(path) == TREE
    assert read_hierarchy(path, format=format) == TREE


def test_packed_files__are_unpacked(file):
    assert read_hierarchy(file(gzip.compress(ARX.encode()))) == TREE


def test_levels__a_name_on_two_levels_is_told_apart(file):
    tree = read_hierarchy(file("item,level2\nham,sausage\nsausage,sausage\ntea,hot\n"))
    assert tree.parent("sausage") == tree.parent("ham") == "sausage[level2]"
    assert tree.leaves == ("ham", "sausage", "tea")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("beer;drinks;*\nsoap;*\n", "line 2: has 2 cells where the first line has 3"),
        ("beer;drinks;*\nsoap;;*\n", "line 2: has an empty cell"),
        ("beer;drinks;*\nbeer;care;*\n", "line 2: gives 'beer' two parents, 'drinks' and 'care'"),
        ("a;x;*\nb;x;+\nc;x;*\n", "hierarchy format not recognised"),
        ("child,parent\na,b\nb,a\n", "cycle"),
        ("child,parent\na,b\nc,d\n", "2 roots: 'b', 'd'"),
        ("child,parent\na,b\na,c\n", "line 3: gives 'a' two parents"),
        ("child,parent\na,\n", "line 2: has an empty cell"),
        ("child,parent\n", "no edge"),
        ("item,level1\n", "no edge"),
        ("* has a b\na has a\n", "line 2: says that 'a' is its own parent"),
        ("* has a b\na has\n", "first line is a single cell"),
        ("distinct\nname x\n\n* has a b\nnonsense\n", "line 5: not a line of an Amnesia hierarchy"),
        ("range\nname x\n\n0,9 has 0,4 5,9\n", "hierarchy of ranges"),
        ('beer;"drinks;*\n', "quotes"),
        ("1 2 3\n4 5\n", "first line is a single cell"),
        ("\n \n", "holds no line"),
        ("a;b\0;c", "NUL"),
        (b"a;\xff;c", "UTF-8"),
        (b"PAR1xxxx", "parquet"),
        (b"", "empty"),
    ],
)
def test_what_is_no_hierarchy__is_refused_with_the_place(file, content, complaint):
    with pytest.raises(InputError, match=complaint):
        read_hierarchy(file(content))


def test_a_missing_file_and_an_unknown_format(file, tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        read_hierarchy(tmp_path / "none.csv")
    with pytest.raises(PolicyError, match="known: arx"):
        read_hierarchy(file(ARX), format="xml")


PIECES = [
    "*",
    "a",
    "b",
    "c",
    ";",
    ",",
    "\t",
    " has ",
    "\n",
    "\n",
    " ",
    '"',
    "child",
    "parent",
    "item",
]
PIECES += ["level1", "distinct", "name", "range", "é", "\r\n", "\ufeff", "[1]", "'"]


@examples(400)
@given(content=st.lists(st.sampled_from(PIECES), max_size=40).map("".join), data=st.data())
def test_fuzzed_text__gives_a_tree_or_an_error(tmp_path_factory, content, data):
    path = tmp_path_factory.mktemp("fuzz") / "tree"
    path.write_text(content, encoding="utf-8", newline="")
    format = data.draw(st.sampled_from([None, *READERS]))
    try:
        tree = read_hierarchy(path, format=format)
    except WithholdError:
        return  # said what is wrong; anything else would fail the test
    assert len(set(tree.names)) == len(tree) > tree.n_leaves >= 1
    assert all(tree.leaves_under(tree.root))


@pytest.mark.filterwarnings("ignore::withhold.errors.AssumedWarning")
@examples(150)
@given(content=st.binary(max_size=60), format=st.sampled_from([None, *READERS]))
def test_fuzzed_bytes__give_a_tree_or_an_error(tmp_path_factory, content, format):
    path = tmp_path_factory.mktemp("fuzz") / "tree"
    path.write_bytes(content)
    with suppress(WithholdError):
        read_hierarchy(path, format=format)


@pytest.mark.data
def test_real_files__are_read_whole(real_data):
    groceries = read_hierarchy(real_data / "groceries-hierarchy.csv")
    assert (groceries.n_leaves, len(groceries), groceries.root) == (169, 1 + 10 + 55 + 169, "*")
    assert groceries.parent("ham") == "sausage[level2]"
    leaves = {
        "age": 100, "education": 16, "income": 2, "marital-status": 7, "native-country": 41,
        "occupation": 14, "race": 5, "sex": 2, "workclass": 8,
    }  # fmt: skip
    for name, count in leaves.items():
        tree = read_hierarchy(real_data / "adult-hierarchies" / f"{name}.csv")
        assert (tree.n_leaves, tree.root) == (count, "*")
