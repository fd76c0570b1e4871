"""The value that says what a release is good for: complete, plain, and at ease with odd releases."""

from __future__ import annotations

import json

import numpy as np
import pytest

from withhold.data import Records
from withhold.errors import PolicyError
from withhold.measure import MEANING, measure_loss, measure_utility, patterns
from withhold.measure.utility import ITEMS_SHOWN, Utility
from withhold.mining import rule_counts

SHOP = [["beer", "bread", "wine"], ["beer", "wine"], ["bread"], []]


def table(rows: list[list[str]]) -> Records:
    return Records.from_lists(rows)


def measured(rows: list[list[str]], **options) -> Utility:
    return measure_utility(table(SHOP), table(rows), sensitive={"wine"}, min_support=1, **options)


def paths(value, path: str = "") -> set[tuple[str, bool]]:
    """The paths of everything in it, lists without their indices, and whether it is a group."""
    if isinstance(value, dict):
        inside = {f"{path}.{key}".lstrip("."): entry for key, entry in value.items()}
        found = {(key, isinstance(entry, dict)) for key, entry in inside.items()}
        return found.union(*(paths(entry, key) for key, entry in inside.items()))
    if isinstance(value, list):
        return set().union(*(paths(entry, path) for entry in value))
    return set()


def test_meaning__has_a_sentence_for_every_number_and_no_other():
    plain = measured([["bread"], ["beer", "wine"], ["bread"], []]).as_dict()
    assert plain["rules"]["most_changed"]
    found = paths(plain)
    assert {path for path, is_group in found if not is_group} <= set(MEANING)
    assert set(MEANING) <= {path for path, _ in found}


def test_meaning__leads_to_the_same_number_by_attribute_and_by_key():
    utility = measured([["beer", "bread"], ["beer", "wine"], ["bread"], []])
    plain = utility.as_dict()
    for path in ("occurrences.sensitive.share", "rules.jaccard", "objectives.rules"):
        attribute, entry = utility, plain
        for name in path.split("."):
            attribute, entry = getattr(attribute, name), entry[name]
        assert attribute == entry
        assert MEANING[path]


def test_as_dict__is_json():
    utility = measured([["beer", "cider"], [], ["bread"], []])
    assert utility.distribution.kl == float("inf")
    plain = utility.as_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["distribution"]["kl"] is None
    assert "by_record" not in plain["occurrences"]


def test_as_dict__gives_the_items_that_changed_most():
    many = [[f"i{n:02}"] * 1 for n in range(30)]
    plain = measure_utility(table(many), table([[]] * 30), min_support=1).as_dict()
    assert len(plain["occurrences"]["by_item"]) == ITEMS_SHOWN < 30


def test_same_table__has_lost_nothing():
    utility = measured(SHOP)
    assert utility.occurrences.all.removed == utility.occurrences.added == 0
    assert utility.occurrences.by_item == ()
    assert utility.distribution.kl == utility.distribution.symmetric_kl == 0.0
    assert utility.itemsets.share_kept == utility.rules.jaccard == 1.0
    assert utility.rules.most_changed == ()
    assert utility.objectives.distribution == utility.objectives.rules == 0.0


def test_everything_gone__is_said():
    utility = measured([[], [], [], []])
    assert utility.occurrences.all.share == 1.0
    assert utility.occurrences.records_emptied == 3
    assert utility.itemsets.share_kept == utility.rules.jaccard == 0.0
    assert utility.rules.distance == 1.0
    assert utility.objectives.rules == float("inf")


def test_agrees_with_loss():
    original = table(SHOP)
    kept = np.array([True, False, True, True, False, True])
    published = Records(np.array([0, 2, 3, 4, 4]), original.items[kept], original.vocabulary)
    loss = measure_loss(original, published, {"wine"})
    utility = measure_utility(original, published, sensitive={"wine"}, min_support=1)
    assert loss.removed == utility.occurrences.all.removed == 2
    assert loss.occurrences == utility.occurrences.all.share
    assert loss.removed_sensitive == utility.occurrences.sensitive.removed
    assert loss.records_emptied == utility.occurrences.records_emptied
    assert loss.items_gone == utility.occurrences.items_gone
    assert (loss.kl, loss.symmetric_kl) == (
        utility.distribution.kl,
        utility.distribution.symmetric_kl,
    )


def test_other_vocabulary__is_matched_by_name():
    # Without bread, beer and wine have other codes in the second table.
    utility = measured([["beer", "wine"], ["beer", "wine"], [], []])
    assert [(c.item, c.before, c.after) for c in utility.occurrences.by_item] == [("bread", 2, 0)]
    assert utility.occurrences.added == 0


def test_other_number_of_rows__says_what_it_can():
    utility = measured([["beer", "bread", "wine"], ["beer", "wine"]])
    assert not utility.same_rows
    assert (utility.records, utility.published_records) == (4, 2)
    assert utility.occurrences.all.removed == 1
    assert utility.occurrences.records_emptied is None
    assert utility.as_dict()["occurrences"]["by_length"] is None


def test_added_items__are_counted():
    utility = measured([["beer", "wine", "ale"], ["beer", "wine", "bread"], ["bread"], []])
    assert (utility.occurrences.all.removed, utility.occurrences.added) == (1, 2)


def test_share_of_records__is_taken_of_each_table():
    utility = measure_utility(
        table([["a"]] * 10), table([["a"]] * 4), min_support="50%", min_confidence="0.5"
    )
    assert (utility.itemsets.min_count, utility.itemsets.published_min_count) == (5, 2)
    assert utility.itemsets.kept == 1


@pytest.mark.parametrize("rows", [[], [[]]])
def test_empty_tables__have_nothing_to_lose(rows):
    utility = measure_utility(table(rows), table([]))
    assert utility.occurrences.all.share == 0.0
    assert utility.rules.jaccard == 1.0


def test_nonsense__is_refused():
    with pytest.raises(PolicyError, match="minimum confidence"):
        measured(SHOP, min_confidence="2")


@pytest.mark.parametrize(("joint", "support"), [(1, 1), (3, 4)])
def test_most_changed__finds_a_lost_rule_that_became_surer(monkeypatch, joint, support):
    # a→b is 4/20 and then too rare to be mined but surer; c→d falls from 5/10 to 0.
    monkeypatch.setattr(patterns, "RULES_SHOWN", 1)
    monkeypatch.setattr(rule_counts, "COUNTED_AT_ONCE", 1)
    single = [["b"]] * 40 + [["d"]] * 40
    before = [["a", "b"]] * 4 + [["a"]] * 16 + [["c", "d"]] * 5 + [["c"]] * 5
    after = [["a", "b"]] * joint + [["a"]] * (support - joint) + [[]] * (20 - support)
    after += [["c"]] * 10
    utility = measure_utility(
        table(before + single), table(after + single), min_support=4, min_confidence="0.15"
    )
    (change,) = utility.rules.most_changed
    assert (change.antecedent, change.consequent, change.fate) == (("a",), "b", "lost")
    assert (change.joint_after, change.support_after) == (joint, support)
