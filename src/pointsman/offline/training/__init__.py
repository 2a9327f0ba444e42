"""From labelled texts to the models that routing reads."""
