"""TF-IDF and logistic regression of scikit-learn: `python intents_sklearn.py < {"train": [[text, intent]], "test": [text]}`.

Words and pairs of words; an ideograph counts as a word, so that Chinese has any. Prints, for each text, the intent, its
probability and the milliseconds that it took; and the version."""

import json
import sys
import time

import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression


def main() -> None:
    order = json.load(sys.stdin)
    texts, intents = zip(*order["train"], strict=True)
    pattern = "[㐀-鿿]|[^\\W㐀-鿿]+"
    words = TfidfVectorizer(token_pattern=pattern, ngram_range=(1, 2), sublinear_tf=True)
    model = LogisticRegression(C=10.0, max_iter=1000)
    model.fit(words.fit_transform(texts), intents)
    found = []
    for text in order["test"]:
        began = time.perf_counter()
        [probabilities] = model.predict_proba(words.transform([text]))
        best = probabilities.argmax()
        took = (time.perf_counter() - began) * 1000
        found.append([str(model.classes_[best]), float(probabilities[best]), took])
    json.dump({"version": sklearn.__version__, "found": found}, sys.stdout)


main()
