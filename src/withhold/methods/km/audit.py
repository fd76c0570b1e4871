"""The audit of k^m-anonymity: that of coherence, with nothing private."""

from __future__ import annotations

from withhold.methods.coherence.audit import audit_coherence

audit_km = audit_coherence
