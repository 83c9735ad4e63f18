cook doctor somewhere
