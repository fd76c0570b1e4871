"""How well a label can be learnt from a release, against learning it from the original.

Stratified cross-validation: a fold's model is trained on the other folds' rows as they were released, and
tested on the fold's own rows as they were in the original. Testing on released rows would reward a model for
reading the label off what was withheld; that leak is measured separately.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Ints
from withhold.errors import PolicyError

FOLDS = 10
LAPLACE = 1.0
LEAF = 10
"""The fewest rows of a leaf of the tree: smaller leaves would learn individual people."""

Predict = Callable[[Ints, Ints, Ints], Ints]
"""Training cells, their classes, test cells → classes. A cell below 0 shows nothing."""


@dataclass(frozen=True)
class Errors:
    """The share of rows whose class was predicted wrongly: mean and standard deviation over the folds."""

    mean: float
    deviation: float


def cross_validate(
    predict: Predict, train: Ints, test: Ints, classes: Ints, *, seed: int = 0
) -> Errors:
    """The errors of a classifier that is trained on ``train`` and tested on ``test``."""
    fold_of = stratified_folds(classes, seed)
    errors = []
    for fold in range(int(fold_of.max()) + 1):
        inside = fold_of == fold
        guessed = predict(train[~inside], classes[~inside], test[inside])
        errors.append(float((guessed != classes[inside]).mean()))
    return Errors(float(np.mean(errors)), float(np.std(errors)))


def stratified_folds(classes: Ints, seed: int) -> NDArray[np.int64]:
    """The fold of every row; each class is spread evenly, in random order."""
    generator = np.random.default_rng(seed)
    n_folds = min(FOLDS, len(classes))
    fold_of = np.empty(len(classes), dtype=np.int64)
    n_dealt = 0
    for own in np.unique(classes):
        rows = generator.permutation(np.flatnonzero(classes == own))
        # Each class begins at the fold where the one before it ended, so that small classes are spread.
        fold_of[rows] = (n_dealt + np.arange(len(rows))) % n_folds
        n_dealt += len(rows)
    return fold_of


def naive_bayes(cells: Ints, classes: Ints, queries: Ints) -> Ints:
    """Predictions of naive Bayes, which ignores withheld cells, in training and in prediction.

    >>> cells, classes = np.array([[0], [0], [1], [-1]]), np.array([0, 0, 1, 1])
    >>> naive_bayes(cells, classes, np.array([[0], [1]])).tolist()
    [0, 1]
    """
    n_classes = int(classes.max()) + 1
    prior = np.bincount(classes, minlength=n_classes) + LAPLACE
    scores = np.tile(np.log(prior / prior.sum()), (len(queries), 1))
    for j in range(cells.shape[1]):
        n_values = int(max(cells[:, j].max(), queries[:, j].max())) + 1
        shown = cells[:, j] >= 0
        keys = classes[shown].astype(np.int64) * n_values + cells[shown, j]
        counts = np.bincount(keys, minlength=n_classes * n_values).reshape(n_classes, n_values)
        share = (counts + LAPLACE) / (counts.sum(axis=1, keepdims=True) + LAPLACE * n_values)
        seen = queries[:, j] >= 0
        scores[seen] += np.log(share).T[queries[seen, j]]
    best: Ints = scores.argmax(axis=1).astype(np.int32)
    return best


def decision_tree(cells: Ints, classes: Ints, queries: Ints) -> Ints:
    """Predictions of a decision tree over single values.

    A withheld cell gets a value drawn from those that the column still shows. So a row goes down each branch
    as often as others do, which is how C4.5 treats missing values. If withheld were a value of its own, the
    tree would split on it and learn what original rows never show.
    """
    drawn = one_hot(_drawn(cells), cells, queries)
    return _guesses(drawn, classes, one_hot(queries, cells, queries))


def has_trees() -> bool:
    """Whether scikit-learn is installed."""
    from importlib.util import find_spec

    return find_spec("sklearn") is not None


def one_hot(cells: Ints, *others: Ints) -> NDArray[np.float32]:
    """A column of 0 and 1 for each value that occurs anywhere."""
    parts = []
    for j in range(cells.shape[1]):
        n_values = max(int(each[:, j].max(initial=-1)) for each in (cells, *others)) + 1
        parts.append((cells[:, j, None] == np.arange(n_values)).astype(np.float32))
    return np.concatenate(parts, axis=1)


def _drawn(cells: Ints) -> Ints:
    """The cells, with a random value in place of each withheld one."""
    generator = np.random.default_rng(0)
    filled = cells.copy()
    for j in range(cells.shape[1]):
        hidden = cells[:, j] < 0
        shown = cells[~hidden, j]
        filled[hidden, j] = generator.choice(shown, int(hidden.sum())) if len(shown) else 0
    return filled


def leak(withheld: NDArray[np.bool_], classes: Ints, *, seed: int = 0) -> Errors:
    """The errors of a tree that predicts the class only from which cells were withheld."""
    pattern = withheld.astype(np.int32)
    return cross_validate(_guesses, pattern, pattern, classes, seed=seed)


def _guesses(features: NDArray[Any], classes: Ints, queries: NDArray[Any]) -> Ints:
    """The classes that a decision tree predicts for the rows of ``queries``."""
    if not has_trees():
        raise PolicyError("decision trees need scikit-learn; pip install 'withhold[learn]'")
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=LEAF, random_state=0)
    guessed: Ints = tree.fit(features, classes).predict(queries).astype(np.int32)
    return guessed


def cramers_v(one: Ints, other: Ints) -> float | None:
    """Cramér's V of two columns, 0 to 1, over the rows that show both; None if neither varies.

    >>> cramers_v(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    both = (one >= 0) & (other >= 0)
    if not both.any():
        return None
    _, rows = np.unique(one[both], return_inverse=True)
    _, columns = np.unique(other[both], return_inverse=True)
    shape = int(rows.max()) + 1, int(columns.max()) + 1
    if min(shape) < 2:
        return None
    counts = np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)
    total = counts.sum()
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    chi_squared = float(((counts - expected) ** 2 / expected).sum())
    return float(np.sqrt(chi_squared / (total * (min(shape) - 1))))


def correlations(columns: Sequence[Ints]) -> dict[tuple[int, int], float | None]:
    """Cramér's V of every pair of columns."""
    pairs = combinations(range(len(columns)), 2)
    return {(i, j): cramers_v(columns[i], columns[j]) for i, j in pairs}
