"""*Decide*: what would be decided on a text or a conversation, stage by stage; nothing is carried out."""
