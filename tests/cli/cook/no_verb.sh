cook
