cook full --workers many
