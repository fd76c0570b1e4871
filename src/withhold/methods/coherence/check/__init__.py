"""The proof of coherence. Imports counting and the model, never the search or the audit."""
