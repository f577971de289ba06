"""A month in the lives of twenty people, played against the real server under a clock that jumps.

``python -m tests.month --seed 7`` plays it whole and prints what was seen; a short one is part of the suite.
"""
