"""Medium looks at the top cards before it draws, and keeps its defuse cards for the end."""

from matchbox.games.bomb import MediumPlayer

BOT = MediumPlayer
