"""What jobs and chats made, sent on: a job of its own for each channel, durable, tried again, done once."""
