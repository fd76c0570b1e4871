"""The proof of k^m-anonymity: that of coherence, with nothing private."""

from __future__ import annotations

from withhold.methods.coherence.check.proof import verify_coherence

verify_km = verify_coherence
