"""Age gates: dialogs that ask whether the visitor is old enough, and the labels that affirm it."""

import re

_AGE = re.compile(
    r"(?<!\d)(?:16|18|19|20|21)(?!\d)\s*\+?\s*(?:years|or older|and over|or over|jahre|ans|años|anni|anos|jaar|år|vuot"
    r"|lat|let|лет|років|yaş|歳|岁|歲|세)"
    r"|(?:over|under|least|above|aged?|über|unter|mindestens|plus de|moins de|más de|mayor de|menor de|più di|mais de"
    r"|ouder dan|over|över|alt|мне|старше)\s+(?:than\s+)?(?:16|18|19|20|21)(?!\d)"
    r"|legal (?:drinking )?age|drinking age|of age\b|age verification|verify your age|volljährig|altersprüfung"
    r"|majeur|âge légal|mayor(?:ía)? de edad|mayor de edad|maggiorenne|maior de idade|meerderjarig|myndig|täysi-ikäi"
    r"|pełnoletni|plnolet|совершеннолет|повнолітн|成年|成人",
    re.IGNORECASE,
)
_CONSENT = re.compile(r"cookie|consent|einwilligung|gdpr|dsgvo|rgpd|privacy|datenschutz|confidentialité", re.IGNORECASE)
"""Words of consent dialogs, which also mention ages."""

_YES = re.compile(
    r"(?:yes|yep|ja|oui|sí|si|sì|sim|tak|ano|áno|да|так|evet|kyllä|はい|是|예|네|enter|enter site|i am|i'm|ich bin|j'ai"
    r"|je suis|soy|tengo|sono|ho|sou|tenho|ik ben|jag är|jeg er|olen|mam|jestem|мне|over|über|confirm|bestätigen|accept"
    r"|agree|i agree|i accept)(?![^\W\d_])",
    re.IGNORECASE,
)
_NO = re.compile(
    r"(?<!\w)(?:no|not|nein|nicht|non|pas|nee|niet|nej|inte|ikke|nei|ei|nie|ne|нет|ні|under|below|younger|unter|jünger"
    r"|moins|menor|menos|minore|meno|jonger|yngre|młodszy|exit|leave|verlassen|quitter|salir|uscire|sair)(?!\w)"
    r"|いいえ|不是|否|아니",
    re.IGNORECASE,
)
_MAX_WORDS = 9


def is_age_gate(text: str) -> bool:
    """Return whether a dialog asks whether the visitor is old enough."""
    return _AGE.search(text) is not None and _CONSENT.search(text) is None


def affirms_age(label: str) -> bool:
    """Return whether a control of an age gate affirms that the visitor is old enough."""
    return _YES.match(label) is not None and _NO.search(label) is None and len(label.split()) <= _MAX_WORDS
