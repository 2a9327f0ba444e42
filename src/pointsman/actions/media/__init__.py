"""Sound and film: converted, cut, listened to, looked at; by the system's ffmpeg, within limits."""
