"""Records, rates and schedules. Runs no bots and never reaches a box."""
