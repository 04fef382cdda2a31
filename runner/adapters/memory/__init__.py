"""All ports in memory: for tests of use cases and stages, held to the same contracts as the real ones."""
