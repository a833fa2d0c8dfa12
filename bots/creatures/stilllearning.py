"""StillLearning is AutoPilot, but summons the creatures that it remembers as winners."""

from matchbox.games.creatures import StillLearning

BOT = StillLearning
