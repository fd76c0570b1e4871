"""The Anonymizer in the hands of scikit-learn: parameters, clones, pipelines, output, rows it never saw."""

from __future__ import annotations

import numpy as np
import pytest

import withhold as wh
from withhold.errors import PolicyError

pd = pytest.importorskip("pandas")
pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402

from withhold.sklearn import Anonymizer  # noqa: E402

COLUMNS = ["age", "sex", "region"]
MODEL = wh.KAnonymity(3, COLUMNS)


def people(rows=60, seed=1):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": draw.choice(["20s", "30s", "40s", "50s"], rows),
            "sex": draw.choice(["f", "m"], rows),
            "region": draw.choice(["n", "s", "e", "w"], rows),
        },
        index=range(100, 100 + rows),
    )


def smallest_group(frame) -> int:
    return min(frame.astype(object).fillna("*").value_counts())


def test_fit_transform__is_the_release_with_the_index_of_its_table():
    table = people()
    found = Anonymizer(MODEL, seed=1)
    published = found.fit_transform(table)
    assert smallest_group(table) < 3 <= smallest_group(published)
    assert list(published.index) == list(table.index)
    assert list(found.get_feature_names_out()) == list(published.columns) == COLUMNS
    assert found.release_.verdict.status is wh.Status.HOLDS
    again = wh.anonymize(table, MODEL, seed=1).data.to_pandas()
    assert published.reset_index(drop=True).equals(again)
    assert found.transform(table).equals(published)


def test_transform__refuses_rows_that_nothing_protects():
    found = Anonymizer(MODEL, seed=1).fit(people())
    other = people(seed=2)
    for rows in (other, people().iloc[:-1], people().iloc[::-1]):
        with pytest.raises(PolicyError, match="protects no other rows"):
            found.transform(rows)
    assert found.set_params(new_rows="as they are").transform(other).equals(other)


def test_transform__before_fitting_is_scikit_learns_error():
    with pytest.raises(NotFittedError):
        Anonymizer(MODEL).transform(people())


def test_parameters__can_be_read_set_and_cloned():
    found = Anonymizer(MODEL, options={"cost": "info"}, seed=5)
    assert clone(found).get_params() == found.get_params()
    found.set_params(model=wh.KAnonymity(10, COLUMNS))
    assert smallest_group(found.fit_transform(people())) >= 10


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"new_rows": "asis"}, "new_rows must be"),
        ({"options": {"cosst": "ham"}}, "cosst"),
        ({"model": wh.RhoUncertainty("0.5", {"x"})}, "not about tables"),
        ({"model": wh.KAnonymity(3, ["agee"])}, "agee"),
        ({"model": "k-anonymity"}, "such as KAnonymity"),
        ({"model": wh.KAnonymity}, "made with its parameters"),
        ({"model": wh.KAnonymity(3, ["sex"])}, r"publish=\['age', 'region'\]"),
        ({"publish": ["sex"], "options": {"publish": "all"}}, "publish is given twice"),
    ],
)
def test_mistakes__are_told(changed, told):
    with pytest.raises(wh.WithholdError, match=told):
        Anonymizer(**{"model": MODEL, **changed}).fit(people())


def test_publish__settles_columns_as_the_message_says():
    found = Anonymizer(wh.KAnonymity(3, ["sex"]), publish=["age", "region"], seed=1)
    assert clone(found).get_params()["publish"] == ["age", "region"]
    assert list(found.fit_transform(people())["age"]) == list(people()["age"])


def test_output__is_what_was_asked_for():
    polars = pytest.importorskip("polars")
    frame = polars.from_pandas(people())
    assert isinstance(Anonymizer(MODEL, seed=1).fit_transform(frame), polars.DataFrame)
    asked = Anonymizer(MODEL, seed=1).set_output(transform="polars")
    assert isinstance(asked.fit_transform(people()), polars.DataFrame)
    array = Anonymizer(wh.KAnonymity(3, ["x0", "x1", "x2"]), seed=1)
    assert list(array.fit_transform(people().to_numpy()).columns) == ["x0", "x1", "x2"]


def test_pipeline__learns_from_the_release_and_predicts_for_rows_as_they_are():
    table = people(200)
    label = (table["age"] > "30s").astype(int)
    road = make_pipeline(
        Anonymizer(MODEL, seed=1, new_rows="as they are"),
        OneHotEncoder(handle_unknown="ignore"),
        DecisionTreeClassifier(random_state=1),
    )
    search = GridSearchCV(
        road, {"anonymizer__model": [MODEL, wh.KAnonymity(20, COLUMNS)]}, cv=3, refit=True
    )
    search.fit(table, label)
    assert search.best_score_ > 0.8
    assert len(search.predict(people(7, seed=3))) == 7


def test_columns__some_of_a_table():
    chosen = ColumnTransformer(
        [("safe", Anonymizer(wh.KAnonymity(3, ["age", "sex"]), seed=1), ["age", "sex"])],
        remainder="drop",
    ).set_output(transform="pandas")
    assert smallest_group(chosen.fit_transform(people())) >= 3
