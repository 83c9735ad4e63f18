cook full --bogus
