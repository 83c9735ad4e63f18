cook store
