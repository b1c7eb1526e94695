"""Language of short texts: detected by script, or by small common words such as "the" and "est"."""

import re

_LETTERS = re.compile(r"[^\W\d_]+")
_LEAST_LETTERS = 12
_SCRIPTS = {
    "ja": re.compile("[\u3041-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7a3]"),
    "el": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
    "he": re.compile("[\u05d0-\u05ea]"),
    "th": re.compile("[\u0e01-\u0e5b]"),
    "ka": re.compile("[\u10a0-\u10ff]"),
    "hy": re.compile("[\u0531-\u0587]"),
}
"""Scripts that hardly any other language is written in."""

_SHARE_OF_SCRIPT = {"ja": 0.2}
"""The least share of a text's letters in the script, where it is not half: Japanese also has Han letters."""

_FUNCTION_WORDS = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the and of to in is for that with you are on not this be or by from your have it can an at was we a all"
        " which will their who while when may do if as has but more they how what there our us",
        "fr": "le la les de des du et est une un pour dans que qui sur avec pas vous au aux ce ne par votre sont en ou"
        " il se à plus cette leur ses son sa si être nous peut même sans où elle ils chez ces",
        "de": "der die das und ist nicht mit ein eine für von auf den dem des zu sich im sie werden wird bei oder als"
        " auch kann es wie aus sind nach nur über bis durch keine einen einer zur zum an wenn haben",
        "es": "el la los las de del y es en que un una para por con no se al su lo como más o esta este son pero sus le"
        " ha muy sin sobre también hay ser si entre cuando todo desde",
        "it": "il la di che e un una per non con del della è sono gli le i da in al nel si come alla questo dei o più",
        "pt": "o a os as de do da e é em que um uma para por com não se no na ao dos das ou mais são esta este como ser"
        " seu sua pode muito também",
        "ca": "el la els les de del i és en que un una per amb no es al o com més aquest aquesta són dels",
        "ro": "și de la în a nu este cu pe care un o din pentru sau fi să mai ca au cel",
        "nl": "de het een en van is in dat niet voor met op te zijn door aan er naar bij of deze kan wordt om als",
        "sv": "och att det i som en är på för av med inte den till ett kan du om har från eller de var",
        "da": "og at det i som en er på for af med ikke den til et kan du om har fra eller de var der",
        "no": "og at det i som en er på for av med ikke den til et kan du om har fra eller de var ikkje",
        "fi": "ja on ei se että oli ovat tai joka mutta kun tämä voi sekä jos ole myös niin",
        "hu": "a az és egy nem hogy is van meg ez vagy volt csak de már mint kell lehet",
        "tr": "ve bir bu için ile da de olarak değil daha çok olan gibi var ya kadar veya en",
        "pl": "i w na z się nie do jest to że jak po za od o przez dla oraz są być może lub",
        "cs": "a v na se je že s z do o pro za to není být nebo jako jsou od po při který",
        "sk": "a v na sa je že s z do o pre za to nie byť alebo ako sú od po pri ktorý",
        "sl": "in v na je se za da z od ne so ali kot to iz ni biti po ki o pri",
        "hr": "i u na je se za da s od ne su ili kao to iz nije biti po koji o",
        "ru": "и в не на с что для по это из от как или к о за при его быть если",
        "uk": "і в не на з що для до та це від як або за при його бути якщо у є",
        "vi": "không và của là các được một cho trong có với này để khi những từ",
        "id": "yang dan di untuk dengan tidak ini dari pada adalah atau dalam akan itu dapat ke oleh",
        "eo": "la de kaj en ne estas al por ke ĉi kun aŭ tiu el sur",
    }.items()
}


def sure_language(text: str) -> str | None:
    """Return a short text's language when its letters or small words leave no doubt; None otherwise."""
    words = _LETTERS.findall(text.lower())
    return _by_script(words) or _by_function_words(set(words))


def _by_script(words: list[str]) -> str | None:
    letters = "".join(words)
    if len(letters) < _LEAST_LETTERS:
        return None
    shares = {language: len(script.findall(letters)) / len(letters) for language, script in _SCRIPTS.items()}
    return next((found for found, share in shares.items() if share > _SHARE_OF_SCRIPT.get(found, 0.5)), None)


def _by_function_words(words: set[str]) -> str | None:
    """Return the language with by far the most function words among some words.

    Of 10,000 messages of 30 to 250 letters from translations of free programs into these languages, this detects
    one in six; three of those were wrong. English and French are detected twice as often.
    """
    ranked = sorted(((len(words & known), language) for language, known in _FUNCTION_WORDS.items()), reverse=True)
    (most, language), (second, _) = ranked[:2]
    is_sure = (most >= 3 and most >= 2 * second) or (most >= 4 and 2 * most >= 3 * second)
    return language if is_sure else None
