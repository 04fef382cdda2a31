"""Rising or fading: a small study of cache eviction under popularity drift. Python 3.9 or newer, standard library only."""
