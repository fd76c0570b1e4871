"""k^m-anonymity: any m items of a record are in k records. Coherence without private items."""
