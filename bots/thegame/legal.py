"""Legal makes the allowed play that moves a pile the least."""

from matchbox.games.thegame import LegalMinimalPlayer

BOT = LegalMinimalPlayer
