"""For scikit-learn: an ``Anonymizer`` is fitted on one table and returns its
release. Needs ``withhold[learn]``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from withhold.data import Table
from withhold.data.roles import Publish
from withhold.errors import PolicyError
from withhold.method import Model
from withhold.pipeline import anonymize
from withhold.registry import method_of

REFUSE, AS_THEY_ARE = "refuse", "as they are"


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Publishes the table that it is fitted on: ``fit_transform`` gives its release.

    A promise is about one table. ``transform`` therefore takes only the fitted table and returns its release;
    rows that were not in it are not protected.

    Parameters
    ----------
    model
        What must hold, a model of tables; its columns are those of ``X``.
    publish
        Columns to publish although they may identify people, or ``"all"``, as for ``anonymize``.
    options
        How to withhold, as for ``anonymize``: ``{"cost": "mar"}``.
    seed
        Random seed; drawn from the system if not given.
    new_rows
        What ``transform`` does with rows that were not fitted: ``"refuse"`` them, or return them
        ``"as they are"``, which is right if a pipeline learns from a release and predicts for rows that
        are not published.

    Attributes
    ----------
    release_
        The release, with its plan, verdict and loss; ``release_.write`` publishes it with a manifest.
    feature_names_in_, n_features_in_
        The columns of the table.

    Examples
    --------
    >>> import pandas as pd
    >>> from withhold import KAnonymity
    >>> people = pd.DataFrame({"age": ["20s", "20s", "30s"], "sex": ["f", "f", "m"]})
    >>> safe = Anonymizer(KAnonymity(3, ["age", "sex"]), seed=1).fit_transform(people)
    >>> safe["age"].isna().tolist()
    [True, True, True]
    """

    def __init__(
        self,
        model: Model,
        *,
        publish: Publish = (),
        options: Mapping[str, object] | None = None,
        seed: int | None = None,
        new_rows: Literal["refuse", "as they are"] = "refuse",
    ) -> None:
        self.model = model
        self.publish = publish
        self.options = options
        self.seed = seed
        self.new_rows = new_rows

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: N803  # scikit-learn's name
        """Make and prove the release of a table; ``y`` is ignored.

        Parameters
        ----------
        X
            A frame with named columns, or an array, whose columns are then called x0, x1, ...
        y
            Ignored. A label that the model should keep is a column of ``X``.

        Returns
        -------
        Anonymizer
            Itself.

        Raises
        ------
        WithholdError
            If the model is not about tables, an option does not fit it, or there is no such release.
        """
        if self.new_rows not in (REFUSE, AS_THEY_ARE):
            raise PolicyError(
                f"new_rows must be {REFUSE!r} or {AS_THEY_ARE!r}, not {self.new_rows!r}"
            )
        if isinstance(self.model, str | type) or not hasattr(self.model, "promise"):
            raise PolicyError(
                "model must be a model made with its parameters, such as "
                f"KAnonymity(5, ['age', 'sex']), not {self.model!r}"
            )
        if method_of(self.model).data != "table":
            raise PolicyError(f"the model {self.model.name} is not about tables of named columns")
        frame = _framed(X)
        chosen: dict[str, Any] = dict(self.options or {})
        if self.publish:
            if "publish" in chosen:
                raise PolicyError("publish is given twice, also in options; give it once")
            chosen["publish"] = self.publish
        release = anonymize(frame, self.model, seed=self.seed, **chosen)
        assert isinstance(release.original, Table)
        self.release_ = release
        self.fitted_ = frame
        self.feature_names_in_ = np.array(release.original.names, dtype=object)
        self.n_features_in_ = len(release.original.names)
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """The release of the fitted table, as a frame of the same library.

        Parameters
        ----------
        X
            The fitted table; other rows as ``new_rows`` says.

        Returns
        -------
        frame
            The release, withheld cells missing; a pandas frame for an array.

        Raises
        ------
        PolicyError
            If it is another table, unless ``new_rows`` is ``"as they are"``.
        """
        check_is_fitted(self)
        frame = _framed(X)
        if frame.equals(self.fitted_):
            data = self.release_.data
            assert isinstance(data, Table)
            if _library(frame) == "polars":
                return data.to_polars()
            published = data.to_pandas()
            published.index = frame.index
            return published
        if self.new_rows == AS_THEY_ARE:
            return frame
        raise PolicyError(
            "the release is of the table that was fitted, and protects no other rows; fit this table, or say "
            'new_rows="as they are" if nobody publishes them'
        )

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """The names of the output columns, which are those of the input."""
        check_is_fitted(self)
        return self.feature_names_in_


def _library(frame: Any) -> str:
    return str(type(frame).__module__).partition(".")[0]


def _framed(X: Any) -> Any:  # noqa: N803
    """A frame of pandas or polars as it is, an array with columns x0, x1, ..."""
    import pandas as pd

    if _library(X) in ("pandas", "polars"):
        return X
    cells = np.asarray(X)
    if cells.ndim != 2:
        raise PolicyError("X must be a table: a frame, or an array of rows and columns")
    return pd.DataFrame(cells, columns=[f"x{number}" for number in range(cells.shape[1])])
