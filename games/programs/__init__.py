"""What runs without the site, for other programs: the referee, and CPU players that answer views."""
