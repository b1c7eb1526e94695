"""How properties are tried: on the same examples in every run of `make test`, on few in `make quick`.

`make soak` tries them on new and more examples.
"""

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("quick", derandomize=True, deadline=None, max_examples=10)
settings.register_profile("searching", max_examples=2_000, deadline=None, print_blob=True)
settings.load_profile("steady")
