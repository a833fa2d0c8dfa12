"""Each game as the simplest direct loop; frozen."""
