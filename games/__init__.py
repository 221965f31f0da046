"""Hearts and Spades: rules, CPU players, tables."""
