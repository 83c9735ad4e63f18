cook store compact
