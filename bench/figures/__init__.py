"""Our figures beside those that the games' documents and a reference run give: `make figures`."""
