"""StillLearning is AutoPilot, but summons what it remembers to have won with."""

from matchbox.games.creatures import StillLearning

BOT = StillLearning
