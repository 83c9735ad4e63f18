cook nonsense
