"""AutoPilot summons its strongest creature, attacks with everything and never blocks."""

from matchbox.games.creatures import AutoPilot

BOT = AutoPilot
