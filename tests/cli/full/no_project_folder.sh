cook full -C nowhere
