"""A third game, to try that a game is added without a change of the product: whist-like, no pass and no bid.

`tests.whist.app` registers it, as a package from outside would.
"""
