"""Words that decide how much a change of a page matters: negations, warnings, units, topics and so on.

English and French, lower case, without accents (see `fold`); a phrase is written with single spaces.
"""

_ACCENTS = str.maketrans(
    {
        **dict(zip("àâäáãåéèêëíîïóôöõúùûüçñÿ", "aaaaaaeeeeiiioooouuuucny", strict=True)),
        "’": "'",
        "‘": "'",
        "μ": "µ",
        "\xa0": " ",
        "\u202f": " ",
    }
)


def fold(text: str) -> str:
    """Return a text in lower case, without accents, with plain apostrophes and spaces; its length does not change."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    if len(lowered) != len(text):
        lowered = "".join(letter.lower()[:1] for letter in text)
    return lowered.translate(_ACCENTS)


def _words(text: str) -> frozenset[str]:
    """Return the entries of a list that is written with commas."""
    return frozenset(entry.strip() for entry in text.split(",") if entry.strip())


def _named(**groups: str) -> dict[str, str]:
    """Return the group that each word of some lists belongs to."""
    return {word: group for group, text in groups.items() for word in _words(text)}


STOP_WORDS = _words(
    """a, an, and, any, are, as, at, be, been, being, but, by, for, from, had, has, have, he, her, here, his, how,
    i, if, in, into, is, it, its, more, of, on, or, other, our, out, over, she, so, some, such, than, that, the,
    their, them, then, there, these, they, this, those, through, to, under, up, us, was, we, were, what, when,
    where, which, who, will, with, would, you, your, about, also, all, do, does, did, s, t, d, l, m, re, ve, ll,
    au, aux, avec, ce, ces, cet, cette, dans, de, des, du, elle, elles, en, est, et, etre, il, ils, je, la, le,
    les, leur, leurs, lui, mais, nos, notre, nous, on, ont, ou, par, pour, qu, que, qui, sa, se, ses, si, son,
    sont, sur, un, une, vos, votre, vous, y, c, j, n, ne, a, ete, sera, seront, ainsi, comme, entre, plus, tout,
    tous, toute, toutes, el, los, las, del, y, e, o, para, por, con, una, su, sus, der, die, das, und, den, dem,
    ein, eine, mit, von, zu, im"""
)
"""Words that carry no content of their own."""

CONJUNCTIONS = _words("and, or, et, ou")

NEGATIONS = _named(
    **{
        "not": "not, nor, neither",
        "no": "no, none, nobody, nothing",
        "never": "never",
        "without": "without",
        "pas": "pas",
        "jamais": "jamais",
        "aucun": "aucun, aucune, nul, nulle, aucunement",
        "sans": "sans",
        "ni": "ni",
        "nicht": "nicht, kein, keine, keinen, keiner",
        "nunca": "nunca",
    }
)
NEGATING_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis", "de")
"""Prefixes that turn a word into its opposite: safe and unsafe, legal and illegal."""

OBLIGATIONS = _named(
    must="""must, shall, required, requires, require, requirement, mandatory, compulsory, obligatory, obliged, have
    to, has to, need to, needs to, doit, doivent, devez, obligatoire, obligatoires, obligatoirement, exige, exigee,
    exiges, requis, requise, tenu de, tenus de, il faut, muss, mussen, debe, deben""",
    should="""should, ought, recommended, recommend, recommends, recommendation, advised, advise, encouraged,
    encourage, devrait, devraient, devriez, recommande, recommandee, recommandes, recommandees, recommandons,
    conseille, conseillee, encourage a, soll, sollte, sollten""",
    may="""may, might, allowed, permitted, optional, voluntary, eligible, pourrait, pourraient, permis, permise,
    autorise, autorisee, autorises, facultatif, facultative, volontaire, admissible, darf""",
    can="can, could, peut, peuvent, pouvez, kann, konnen, puede, pueden",
    forbidden="""prohibited, prohibits, prohibit, forbidden, banned, ban, bans, illegal, unlawful, not allowed, not
    permitted, interdit, interdite, interdits, interdites, interdiction, defendu, prohibe, illegal, illegale,
    verboten, prohibido""",
)
"""The obligation that a word expresses."""

WARNINGS = _words(
    """warning, warnings, danger, dangerous, caution, hazard, hazardous, recall, recalled, recalls, advisory,
    alert, alerts, emergency, evacuate, evacuation, evacuations, contraindicated, contraindication, poison,
    poisonous, toxic, fatal, deadly, disclaimer, outbreak, unsafe, life-threatening, boil water, do not use, do not
    take, do not eat, do not drink, do not consume, stop using, side effects, adverse, serious injury, seek
    medical, get medical help, consultez immediatement,
    avertissement, avertissements, danger, dangereux, dangereuse, rappel, rappels, rappele, rappeles,
    alerte, alertes, urgence, evacuer, evacuation, contre-indique, contre-indication, poison, toxique, mortel,
    mortelle, mise en garde, mises en garde, avis de non-responsabilite, eclosion, ne pas utiliser, ne pas
    consommer, ne pas prendre, n'utilisez pas, ne prenez pas, ne consommez pas, cessez d'utiliser, effets
    secondaires, effets indesirables, warnung, gefahr, achtung, ruckruf, advertencia, peligro, aviso, retirada,
    avvertenza, pericolo, waarschuwing"""
)
"""Words that warn a reader."""

TOPICS = _words(
    """climate change, climate crisis, climate action, climate, global warming, greenhouse, greenhouse gas,
    emissions, carbon, fossil fuel, fossil fuels, renewable, renewable energy, clean energy, clean power,
    sustainability, sustainable, adaptation, mitigation, resilience, pollution, pollutant, pollutants, endangered,
    conservation, science, scientific, scientists, peer-reviewed, evidence, consensus, paris agreement,
    environmental justice, fracking, pipeline, methane, sea level, regulation, regulations, regulatory, rule,
    enforcement, compliance, penalty, penalties, fines, rights, discrimination, diversity, equity, inclusion,
    gender, transgender, sexual orientation, reproductive, abortion, contraception, vaccine, vaccines, vaccination,
    immunization, immigrant, immigrants, refugee, refugees, asylum, disability, disabilities, indigenous, tribal,
    public comment, withdrawn, rescinded, repealed, revoked, suspended, postponed, delayed, extended, expired,
    proposed, draft, pending, reinstated, vacated, moratorium,
    women, minorities, underserved, undocumented, archived, discontinued, superseded,
    cancelled, canceled, terminated, eliminated, changement climatique, changements climatiques, climat,
    climatique, climatiques, rechauffement, gaz a effet de serre, effet de serre, carbone, combustibles fossiles,
    renouvelable, renouvelables, durable, developpement durable, pollution, biodiversite, scientifique,
    scientifiques, preuves, reglement, reglements, reglementation, conformite, amende, amendes, sanction,
    sanctions, droits, diversite, equite, inclusion, genre, avortement, vaccin, vaccins, vaccination, immigrants,
    refugies, asile, handicap, autochtones, abroge, abrogee, retire, retiree, suspendu, suspendue, annule, annulee,
    reporte, reportee, prolonge, prolongee, expire, propose, proposee, femmes, archive, archivee,
    remplace, remplacee, aboli"""
)
"""Terms that people who watch public pages look for: policy, rights, health, environment, withdrawal."""

OPPOSITES = tuple(
    (frozenset(one.split()), frozenset(other.split()))
    for one, other in (
        ("increase increases increased increasing", "decrease decreases decreased decreasing reduce reduced"),
        ("above over", "below under"),
        ("before", "after"),
        ("more", "less fewer"),
        ("higher", "lower"),
        ("minimum", "maximum"),
        ("least", "most"),
        ("include includes included including", "exclude excludes excluded excluding"),
        ("approve approved accept accepted", "reject rejected deny denied refuse refused"),
        ("open opened", "closed close"),
        ("start starts begin begins", "stop stops end ends"),
        ("allow allows", "deny denies prevent prevents"),
        ("safe", "dangerous harmful"),
        ("true", "false"),
        ("yes oui", "no non"),
        ("all always toujours", "some sometimes parfois"),
        ("augmente augmenter augmentation hausse", "diminue diminuer diminution baisse reduit"),
        ("avant", "apres"),
        ("plus", "moins"),
        ("ouvert ouverte", "ferme fermee"),
        ("inclus inclut", "exclu exclut"),
        ("accepte acceptee", "refuse refusee rejete"),
        ("superieur superieure", "inferieur inferieure"),
    )
)
"""Words that reverse a sentence when one replaces the other."""

QUALIFIERS = _words(
    """only, all, always, every, some, sometimes, most, few, certain, likely, unlikely, possible, possibly,
    potential, potentially, approximately, seulement, uniquement, toujours, parfois, certains, certaines, probable,
    possible, environ, will, plupart"""
)

NUMBER_WORDS = {
    word: number
    for number, words in {
        1: "one une",
        2: "two deux",
        3: "three trois",
        4: "four quatre",
        5: "five cinq",
        6: "six",
        7: "seven sept",
        8: "eight huit",
        9: "nine neuf",
        10: "ten dix",
        11: "eleven onze",
        12: "twelve douze",
        15: "fifteen quinze",
        20: "twenty vingt",
        30: "thirty trente",
    }.items()
    for word in words.split()
}
"""Numbers in words; they count only before a unit."""

UNITS = _named(
    label="kb, mb, gb, tb, ko, mo, go, bytes, octets, pp, pages, slides",
    dose="""mg, g/day, mcg, µg, ug, ng, ml, cc, iu, ui, units, unites, meq, mmol, mg/kg, mg/ml, mg/l, mg/dl, µg/l,
    ug/l, mcg/day, mg/day, ml/kg, µg/m3, tablet, tablets, pill, pills, capsule, capsules, dose, doses, drop, drops,
    puff, puffs, teaspoon, teaspoons, tsp, tablespoon, tablespoons, sachet, sachets, injection, injections,
    booster, boosters, comprime, comprimes, gelule, gelules, pilule, pilules, goutte, gouttes, cuillere, cuilleres,
    bouffee, bouffees""",
    percent="%, percent, percentage, pct, pourcent, per cent, pour cent, ‰",
    duration="""h, second, seconds, minute, minutes, min, hour, hours, hr, hrs, day, days, week, weeks, month,
    months, year, years, yr, yrs, decade, decades, times, time, seconde, secondes, heure, heures, jour, jours,
    semaine, semaines, mois, an, ans, annee, annees, decennies, fois, business, working, calendar, consecutive,
    ouvrables, ouvres, tag, tage, stunden, wochen, monate, jahre, dias, horas, semanas, meses, anos""",
    money="""dollar, dollars, usd, cad, eur, euro, euros, gbp, chf, aud, cent, cents, pounds, francs, yen, jpy,
    cny, kr""",
    measure="""g, kg, t, tonne, tonnes, ton, tons, lb, lbs, oz, ounce, ounces, l, litre, litres, liter, liters,
    gallon, gallons, cup, cups, mm, cm, m, km, metre, metres, meter, meters, kilometre, kilometres, kilometers,
    mile, miles, ft, feet, foot, inch, inches, yard, yards, acre, acres, hectare, hectares, ha, sq, km2, m2, m3,
    km/h, mph, m/s, ppm, ppb, ppt, °c, °f, ° c, ° f, degree, degrees, degres, celsius, fahrenheit, kw, mw, gw, kwh,
    mwh, gwh, twh, w, kpa, hpa, bar, psi, db, dba, hz, mhz, ghz, kcal, cal, calories, bq, bq/l,
    msv, µsv, sv, mt, gt, mtco2e, barrels, watts, pieds, pouces, tasses""",
)
"""The kind of amount that a unit belongs to."""

SCALES = {"million": 6, "millions": 6, "billion": 9, "billions": 9, "trillion": 12, "milliard": 9, "milliards": 9}
"""Words that multiply the number before them, as powers of ten."""

FREQUENCIES = _words(
    """once, twice, thrice, hourly, daily, nightly, weekly, biweekly, fortnightly, monthly, quarterly, annually,
    yearly, annual, quotidien, quotidienne, quotidiennement, hebdomadaire, mensuel, mensuelle, trimestriel, annuel,
    annuelle, annuellement"""
)

DOSING = _words(
    """dose, doses, dosage, dosing, tablet, tablets, pill, pills, capsule, capsules, mg, ml, medication, medicine,
    inject, injection, comprime, comprimes, gelule, gelules, medicament, medicaments, posologie, vaccine, vaccin"""
)
"""Next to these words, an amount of time is part of a dose."""

AGE_BEFORE = _words("age, ages, aged, agee, agees, age de, ages de")
AGE_AFTER = _words("old, of age, and older, and over, and up, or older, or over, and younger, et plus, ou plus, d'age")

LABELS = _words(
    "figure, fig, table, page, pages, p, pp, step, slide, footnote, note, question, photo, etape, diapositive, tableau"
)
"""A number after these words only numbers the parts of a page."""

_MONTHS = (
    "january jan janvier janv enero januar",
    "february feb fevrier fev febrero februar",
    "march mar mars marzo marz",
    "april apr avril avr abril",
    "may mai mayo",
    "june jun juin junio juni",
    "july jul juillet juil julio juli",
    "august aug aout agosto",
    "september sept sep septembre septiembre",
    "october oct octobre octubre oktober",
    "november nov novembre noviembre",
    "december dec decembre diciembre dezember",
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}

MONTH_NAMES = _words(
    """january, february, april, june, july, august, september, october, november, december, janvier, fevrier,
    avril, juin, juillet, aout, septembre, octobre, novembre, decembre"""
)
"""Months whose names mean nothing else, as march, may and mars do."""

WEEKDAYS = _words(
    """monday, tuesday, wednesday, thursday, friday, saturday, sunday, mon, tue, tues, wed, thu, thur, thurs, fri,
    sat, sun, lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche"""
)

FURNITURE = _words(
    """home, menu, main menu, search, search this site, search site, skip to main content, skip to content, skip
    navigation, share, share this page, share this, share on facebook, facebook, twitter, x, youtube, instagram,
    linkedin, flickr, pinterest, rss, rss feed, email, e-mail, print, print this page, print page, follow us,
    connect with us, stay connected, subscribe, sign up, sign up for email updates, get email updates, email
    updates, newsletter, contact, contact us, contact us to ask a question, ask a question, about us, about,
    feedback, give feedback, site map, sitemap, site index, a-z index, a-z, index, help, faq, faqs, login, log in,
    sign in, register, my account, privacy, privacy policy, privacy notice, terms of use, terms and conditions,
    accessibility, accessibility statement, legal, legal notices, no fear act, foia, usa gov, inspector general,
    site policies, jobs, careers, newsroom, news, languages, language assistance, english, francais, espanol, back
    to top, top of page, top, return to top, previous, next, read more, learn more, more, more info, view all, see
    all, show more, show less, close, open, expand all, collapse all, download, pdf, you are here, breadcrumb, on
    this page, in this section, related links, related topics, related information, related content, quick links,
    resources, was this page helpful, did you find what you were looking for, report a problem, report a problem on
    this page, report a problem or mistake on this page, page feedback, leave a comment, comments, tags,
    categories, archives, an official website of the united states government, here's how you know, official
    websites use gov, exit, external link, opens in new window, advertisement, sponsored, accept, accept cookies,
    cookie settings, loading, accueil, recherche, rechercher, aller au contenu principal, passer au contenu
    principal, partager, partager cette page, suivez-nous, imprimer, abonnez-vous, s'abonner, contactez-nous, nous
    joindre, a propos, a propos de nous, plan du site, aide, connexion, se connecter, confidentialite, avis de
    confidentialite, mentions legales, conditions d'utilisation, avis, accessibilite, haut de la page, retour en
    haut, precedent, suivant, lire la suite, en savoir plus, voir tout, fermer, ouvrir, telecharger, vous etes ici,
    sur cette page, dans cette section, liens connexes, liens utiles, retroaction, signaler un probleme, signaler
    un probleme sur cette page, commentaires, medias sociaux, nouvelles, actualites, infolettre, langues, publicite"""
)
"""Lines for using the site, not about the page's subject."""

FURNITURE_STARTS = (
    *(
        "skip to ",
        "share on ",
        "share this ",
        "follow us",
        "sign up for ",
        "subscribe to ",
        "was this ",
        "you are here",
    ),
    *("last updated", "last reviewed", "page last ", "date modified", "top of ", "back to ", "return to top", "home >"),
    *(
        "home »",
        "home /",
        "home |",
        "search ",
        "print this",
        "email this",
        "did you find",
        "contact us ",
        "connect with ",
    ),
    *("partager sur ", "suivez-nous", "abonnez-vous", "accueil >", "accueil »", "accueil /", "vous etes ici"),
    *("date de modification", "derniere mise a jour", "retour a ", "haut de ", "rechercher ", "avez-vous trouve"),
    *("exit ", "like us on", "find us on", "copyright", "©", "photo:", "photo credit", "image:", "credit:"),
)
"""How lines of the same purpose begin."""

TEASER_HEADINGS = _words(
    """news, latest, latest news, recent, recent news, in the news, what's new, whats new, new, highlights,
    featured, features, spotlight, in focus, top stories, headlines, stories, events, upcoming events, calendar,
    announcements, blog, recent posts, latest posts, tweets, social media, popular, most popular, most read,
    trending, top tasks, most requested, related, related links, related content, related articles, related topics,
    related information, related news, see also, you may also like, you might also like, more from, more news,
    recommended for you, explore more, quick links, videos, multimedia, photos, gallery, news releases, press
    releases, news and events, nouvelles, actualites, a la une, en vedette, quoi de neuf, evenements, a venir,
    communiques, communiques de presse, medias sociaux, en demande, liens connexes, articles connexes, voir aussi,
    vous aimerez aussi, contenu connexe, en savoir plus, share, share this page, follow us, stay connected, connect
    with us, feedback, page feedback, partager, suivez-nous, was this page helpful, report a problem, newsletter,
    subscribe, infolettre, advertisement, publicite"""
)
"""Headings of lists that change by themselves or lead elsewhere."""

FURNITURE_MENTIONS = (
    *(
        "adobe reader",
        "adobe acrobat",
        "acrobat reader",
        "pdf reader",
        "enable javascript",
        "your browser",
        "javascript",
    ),
    *("lecteur pdf", "votre navigateur", "viewers and players", "download viewers"),
)
"""Words in lines for using the site."""

SHARING_WORDS = _words(
    """facebook, twitter, youtube, instagram, linkedin, flickr, pinterest, tiktok, threads, bluesky, whatsapp, telegram,
    mastodon, snapchat, reddit, tumblr, rss, blog, podcast, email, e-mail, mail, print, share, tweet, logo, icon,
    icone, x, on,
    by, via, follow, like, formerly, partager, imprimer, courriel, sur, par"""
)
"""A line of only these words is for sharing the page."""
