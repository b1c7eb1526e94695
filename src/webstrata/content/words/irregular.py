"""Irregular word forms, which have different stems: `child` and `children`, `foot` and `feet`."""

_IRREGULAR = {
    "en": (
        "child children, man men, woman women, person people persons, foot feet, tooth teeth, mouse mice,"
        " goose geese, louse lice, ox oxen, datum data, bacterium bacteria, criterion criteria, phenomenon"
        " phenomena, medium media, index indices, appendix appendices, matrix matrices, vertex vertices,"
        " crisis crises, diagnosis diagnoses, analysis analyses, thesis theses, hypothesis hypotheses,"
        " prognosis prognoses, metastasis metastases, dialysis dialyses, fungus fungi, stimulus stimuli,"
        " nucleus nuclei, radius radii, larva larvae, vertebra vertebrae, formula formulae, leaf leaves, knife"
        " knives, wife wives, wolf wolves, half halves, shelf shelves, thief thieves, loaf loaves, buy bought,"
        " bring brought, teach taught, catch caught, seek sought, sell sold, tell told, pay paid, lose lost,"
        " choose chose chosen, break broke broken, speak spoke spoken, steal stole stolen, freeze froze"
        " frozen, wear wore worn, write wrote written, drive drove driven, eat ate eaten, forget forgot"
        " forgotten, begin began begun, drink drank drunk, swim swam swum, grow grew grown, fly flew flown,"
        " sleep slept, feed fed, bleed bled, bite bit bitten"
    ),
    "fr": "oeil yeux, ciel cieux, travail travaux, bail baux, monsieur messieurs, madame mesdames",
    "it": "uomo uomini, dito dita, uovo uova, braccio braccia, ginocchio ginocchia, osso ossa",
    "nl": "kind kinderen, ei eieren, been beenderen, stad steden, schip schepen",
}
"""Groups of forms by language, folded as in the full-text index."""


def _forms_by_word(groups: str) -> dict[str, tuple[str, ...]]:
    split = [tuple(group.split()) for group in groups.split(",")]
    return {word: tuple(other for other in forms if other != word) for forms in split for word in forms}


_FORMS = {language: _forms_by_word(groups) for language, groups in _IRREGULAR.items()}


def irregular_forms(word: str, language: str) -> tuple[str, ...]:
    """Return the irregular forms of a folded word, which have another stem."""
    return _FORMS.get(language, {}).get(word, ())
