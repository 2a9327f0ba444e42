"""TF-IDF and logistic regression of scikit-learn as a router: `python route_sklearn.py < order`, where the order is
{"texts": […], "better": [is the heavy model better?], "folds": [[places to learn from, places to score], …]}.

Words and pairs of words; an ideograph counts as a word, so that Chinese has any. Prints the probability for each text."""

import json
import sys

import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression


def main() -> None:
    order = json.load(sys.stdin)
    texts, better = order["texts"], order["better"]
    scores = [0.0] * len(texts)
    for rest, out in order["folds"]:
        labels = [better[place] for place in rest]
        if len(set(labels)) < 2:
            continue
        pattern = "[㐀-鿿]|[^\\W㐀-鿿]+"
        words = TfidfVectorizer(token_pattern=pattern, ngram_range=(1, 2), sublinear_tf=True)
        model = LogisticRegression(max_iter=1000)
        model.fit(words.fit_transform([texts[place] for place in rest]), labels)
        found = model.predict_proba(words.transform([texts[place] for place in out]))[:, 1]
        for place, score in zip(out, found.tolist(), strict=True):
            scores[place] = score
    json.dump({"version": sklearn.__version__, "scores": scores}, sys.stdout)


main()
