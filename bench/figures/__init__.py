"""Our figures beside those of the games' documents and of a reference run: `make figures`."""
