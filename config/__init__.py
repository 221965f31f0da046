"""The site as a whole."""
