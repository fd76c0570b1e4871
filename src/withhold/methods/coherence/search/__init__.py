"""Which items to suppress everywhere until coherence holds. Imports no check."""
