"""Medium draws while it holds a defuse card; without one, it looks at the top cards first."""

from matchbox.games.bomb import MediumPlayer

BOT = MediumPlayer
