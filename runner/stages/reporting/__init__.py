"""The parts of the audit report: one file per part of the model, then words, figures and the two text forms."""
