"""Which items to suppress everywhere until k^m-anonymity holds: as for coherence, with nothing private."""

from __future__ import annotations

from withhold.methods.coherence.search.suppressor import suppress_coherence

suppress_km = suppress_coherence
