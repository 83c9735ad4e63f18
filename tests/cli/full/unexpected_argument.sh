cook full Content
