import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.model.changes.significance import JudgeContext, SectionChange, context_between, judge
from webstrata.model.changes.values import SIGNIFICANT, EditKind, LineEdit, PageLine, PageText, Verdict

PLAIN = JudgeContext()

SIGNIFICANT_PAIRS = [
    # Doses, amounts, prices, ages and other facts.
    ("Take 200 mg every 6 hours.", "Take 400 mg every 6 hours.", "dose"),
    ("Take 2 tablets every 4 hours.", "Take 2 tablets every 6 hours.", "dose"),
    ("Adults: one tablet a day.", "Adults: two tablets a day.", "dose"),
    ("Prendre 1 comprimé toutes les 4 heures.", "Prendre 1 comprimé toutes les 8 heures.", "dose"),
    (
        "Ne pas dépasser 3 g par jour, soit 500 mg par prise.",
        "Ne pas dépasser 3 g par jour, soit 1000 mg par prise.",
        "dose",
    ),
    ("Keep the vaccine between 2 °C and 8 °C.", "Keep the vaccine between 2 °C and 12 °C.", "measure"),
    ("Concentrations above 35 ppm are harmful.", "Concentrations above 70 ppm are harmful.", "measure"),
    ("Emissions fell by 20% last year.", "Emissions fell by 12% last year.", "percent"),
    ("Les émissions ont baissé de 20 %.", "Les émissions ont baissé de 12 %.", "percent"),
    ("The permit costs $1,200.", "The permit costs $1,500.", "price"),
    ("Le permis coûte 120 €.", "Le permis coûte 150 €.", "price"),
    ("The programme has a budget of 5 million dollars.", "The programme has a budget of 3 million dollars.", "price"),
    ("For people 65 years and older.", "For people 60 years and older.", "age"),
    ("Pour les personnes de 65 ans et plus.", "Pour les personnes de 60 ans et plus.", "age"),
    ("The ban begins on 3 May 2024.", "The ban begins on 5 May 2024.", "date"),
    ("L'interdiction commence le 3 mai 2024.", "L'interdiction commence le 5 mai 2024.", "date"),
    ("Comments are due by 2024-05-03.", "Comments are due by 2024-06-03.", "date"),
    ("The office is open from 9:00 am to 5 pm.", "The office is open from 10:00 am to 5 pm.", "time"),
    ("You have 30 days to appeal.", "You have 15 days to appeal.", "duration"),
    ("Vous avez six mois pour faire appel.", "Vous avez trois mois pour faire appel.", "duration"),
    ("There were 12 cases in the region.", "There were 15 cases in the region.", "number"),
    ("Il y a eu 1 200 cas dans la région.", "Il y a eu 1 500 cas dans la région.", "number"),
    ("Call 1-800-555-0142 for help.", "Call 1-800-555-0199 for help.", "phone"),
    ("Appelez le 01 23 45 67 89.", "Appelez le 01 23 45 67 00.", "phone"),
    ("Write to info@example.gov for help.", "Write to press@example.gov for help.", "email"),
    ("Apply the cream once daily.", "Apply the cream twice daily.", "frequency"),
    ("年間の摂取量は 200 mg です。", "年間の摂取量は 400 mg です。", "dose"),
    ("Die Frist endet am 3.5.2024.", "Die Frist endet am 5.6.2024.", "date"),
    # Negations, obligations, opposites, warnings.
    ("The medicine is safe for children.", "The medicine is not safe for children.", "negation"),
    ("You cannot apply online.", "You can apply online.", "negation"),
    ("Ce médicament convient aux enfants.", "Ce médicament ne convient pas aux enfants.", "negation"),
    ("Utiliser avec de l'eau.", "Utiliser sans eau.", "negation"),
    ("Companies must report their emissions.", "Companies should report their emissions.", "obligation"),
    ("Companies must report their emissions.", "Companies may report their emissions.", "obligation"),
    ("Masks are mandatory in hospitals.", "Masks are recommended in hospitals.", "obligation"),
    ("Le port du masque est obligatoire.", "Le port du masque est recommandé.", "obligation"),
    (
        "Les entreprises doivent déclarer leurs rejets.",
        "Les entreprises devraient déclarer leurs rejets.",
        "obligation",
    ),
    ("Fishing is permitted in the lake.", "Fishing is prohibited in the lake.", "obligation"),
    ("Human activity causes the warming.", "Human activity may cause the warming.", "obligation"),
    ("The water is safe to drink.", "The water is unsafe to drink.", "reversed"),
    ("Register before the first visit.", "Register after the first visit.", "reversed"),
    (
        "Temperatures are expected to increase in the valley.",
        "Temperatures are expected to decrease in the valley.",
        "reversed",
    ),
    ("Use it on dry skin.", "Warning: do not use it on dry skin.", "warning_added"),
    ("Avertissement : usage externe.", "Usage externe.", "warning_removed"),
    # Policy wording, topics, names, values.
    ("The plan addresses climate change in cities.", "The plan addresses extreme weather in cities.", "topic"),
    ("Le plan traite des changements climatiques en ville.", "Le plan traite de la météo extrême en ville.", "topic"),
    ("We support clean energy and jobs.", "We support energy independence and jobs.", "topic"),
    (
        "States apply for funds of the Clean Power Plan each year.",
        "States apply for funds of the Affordable Energy Rule each year.",
        "name",
    ),
    ("For questions write to John Smith at our office.", "For questions write to Maria Lopez at our office.", "name"),
    ("The methane rule is in effect.", "The methane rule is postponed.", "topic"),
    ("We work to protect health and nature.", "We work to provide land, air and water.", "rewritten"),
    ("Administrator: Ann Lee", "Administrator: Omar Diaz", "value"),
    ("This guidance is in force.", "This guidance is in force but was superseded.", "topic"),
    (
        "The agency protects rivers.",
        "The agency protects rivers and works with farmers, towns and local industry to promote economic growth.",
        "text_added",
    ),
    (
        "Scientists observe rising seas along the coast, more frequent floods, and damage to roads, homes and farms.",
        "Scientists observe rising seas along the coast.",
        "text_removed",
    ),
]

MINOR_PAIRS = [
    ("Please use the form to apply.", "Please use this form to apply."),
    ("We begin the review in spring.", "We start the review in spring."),
    ("Utilize the form to apply.", "Use the form to apply."),
    ("You will recieve a letter.", "You will receive a letter."),
    ("The organisation publishes reports.", "The organization publishes reports."),
    ("Read our report, and share it.", "Read our report and share it"),
    ("Read Our Report", "Read our report"),
    ("Visit the web site for details.", "Visit the website for details."),
    ("Do not smoke here.", "Don't smoke here."),
    ("The hearing is on May 3, 2024.", "The hearing is on 3 May 2024."),
    ("About 1,000 people live here.", "About 1000 people live here."),
    ("It rose by 5 percent.", "It rose by 5%."),
    ("Take two tablets.", "Take 2 tablets."),
    ("Call (202) 555-0143.", "Call 202-555-0143."),
    ("Companies must report.", "Companies shall report."),
    ("You can find the forms below.", "Find the forms below."),
    ("Learn how the programme works.", "Learn how our programme works."),
    ("See Figure 3 for the map.", "See Figure 4 for the map."),
    ("A common finding [3] is wear.", "A common finding [4] is wear."),
    ("USA.gov", "USAGov"),
    ("Facebook Logo. Twitter Logo.", "Facebook. X. Mastodon. Logo"),
    ("View the report (PDF, 12 pp, 1.2 MB)", "View the report (PDF, 14 pp, 1.3 MB)"),
    ("You will need Adobe Reader to view some files.", "You may need a PDF reader to view some files."),
    ("Veuillez remplir le formulaire.", "Merci de remplir le formulaire."),
    ("L’équipe publie des rapports.", "L'équipe publie des rapports."),
    ("Consultez notre site Web pour plus de détails.", "Visitez notre site Web pour plus de détails."),
    ("Le rapport est disponible ci-dessous", "Le rapport est disponible ci-dessous."),
    ("Share this page", "Share this article"),
    ("Contact us", "Contact"),
    ("Was this page helpful?", "Was this information helpful?"),
    ("Home > Air > Data", "Home > Air > Reports"),
    ("Partager cette page", "Partager sur Facebook"),
]


def changed(old: str, new: str, kind: str = "p", section: str = "", **line: object) -> LineEdit:
    return LineEdit(EditKind.CHANGED, page_line(old, kind, **line), page_line(new, kind, **line), section=section)


def page_line(text: str, kind: str = "p", **line: object) -> PageLine:
    return PageLine(text, kind, **line)  # type: ignore[arg-type]


def added(text: str, kind: str = "p", section: str = "", **line: object) -> LineEdit:
    return LineEdit(EditKind.ADDED, None, page_line(text, kind, **line), section=section)


def removed(text: str, kind: str = "p", section: str = "", **line: object) -> LineEdit:
    return LineEdit(EditKind.REMOVED, page_line(text, kind, **line), None, section=section)


def same(text: str, kind: str = "p") -> LineEdit:
    return LineEdit(EditKind.SAME, page_line(text, kind), page_line(text, kind))


def codes(verdict: Verdict) -> set[str]:
    return {reason.code for reason in verdict.reasons}


@pytest.mark.parametrize(("old", "new", "code"), SIGNIFICANT_PAIRS)
def test_a_changed_meaning_is_significant_and_named(old: str, new: str, code: str) -> None:
    verdict = judge([changed(old, new)], PLAIN)
    assert verdict.significance >= SIGNIFICANT
    assert code in codes(verdict)
    assert judge([changed(new, old)], PLAIN).significance >= SIGNIFICANT


@pytest.mark.parametrize(("old", "new"), MINOR_PAIRS)
def test_other_words_for_the_same_are_not_significant(old: str, new: str) -> None:
    assert judge([changed(old, new)], PLAIN).significance < SIGNIFICANT
    assert judge([changed(new, old)], PLAIN).significance < SIGNIFICANT


PARAGRAPH = "The agency studies how rising temperatures change the habitats of fish in the rivers of the region."

EDITS = [
    # Words of one kind in the place of others.
    ([changed("Nine members voted in favour.", "Eight members voted in favour.")], True, "number"),
    ([changed("It ends in June of this year.", "It ends in July of this year.")], True, "date"),
    ([changed("Le vaccin est gratuit.", "Le vaccin n'est plus gratuit.")], True, "negation"),
    ([changed("All dogs and cats must be licensed.", "All dogs must be licensed.")], True, "enumeration"),
    ([changed("Ouvert de 10 h à 19 h.", "Ouvert de 12 h à 18 h.")], True, "time"),
    ([changed("We study the clmiate of the coast.", "We study the climate of the coast.")], False, "spelling"),
    ([removed("Attention : fermez le gaz avant de partir en vacances.")], True, "warning_removed"),
    ([added("bleeding", "l", "Side effects")], True, "warning_added"),
    ([added("2025 22 1", "t")], True, "row_added"),
    # Whole lines, lists, tables, sections.
    ([removed(PARAGRAPH)], True, "text_removed"),
    ([added(PARAGRAPH)], True, "text_added"),
    ([removed("Climate Change Indicators Report", "l")], True, "item_removed"),
    ([removed("Water quality standards handbook", "l")], True, "item_removed"),
    ([added("New rules for small boats", "l")], True, "item_added"),
    ([changed("Lead 15 20", "Lead 15 25", "t")], True, "number"),
    ([removed("Lead 15 20", "t")], True, "row_removed"),
    ([changed("Climate Change", "Extreme Weather", "2")], True, "heading"),
    ([changed("Clean water standards", "Affordable water goals", "l")], True, "item_changed"),
    ([removed("Do not use this product near an open flame.")], True, "warning_removed"),
    ([added("Recall: sold lots 12 and 14 may contain glass.")], True, "warning_added"),
    ([removed("Mise en garde : ne pas utiliser chez l'enfant.")], True, "warning_removed"),
    (
        [added("Boil water advisory for the whole county since Monday.", "o", is_main=False, region="h")],
        True,
        "warning_added",
    ),
    ([added("This page is not legal advice; the text of the rule prevails.")], True, "text_added"),
    # What stays below: menus, footers, controls, news, moves.
    ([changed("Topics", "Browse topics", "l", is_main=False, region="n") for _ in range(30)], False, "boilerplate"),
    ([added("Recalls and alerts", "l", is_main=False, region="n")], False, "boilerplate"),
    ([changed("Call 1-800-555-0142", "Call 1-800-555-0199", is_main=False, region="e")], False, "boilerplate"),
    ([added("Follow us on Mastodon", "l"), removed("Share on Facebook", "l")], False, "boilerplate"),
    ([added("Skip to main content"), added("Back to top"), removed("Print this page")], False, "boilerplate"),
    ([LineEdit(EditKind.MOVED, page_line(PARAGRAPH), page_line(PARAGRAPH))] * 40, False, "moved"),
    ([removed(PARAGRAPH), added(PARAGRAPH[:50]), added(PARAGRAPH[50:])], False, "moved"),
    ([changed(PARAGRAPH, PARAGRAPH[:50]), added(PARAGRAPH[50:])], False, "moved"),
    ([removed(PARAGRAPH[:50]), changed(PARAGRAPH[50:], PARAGRAPH)], False, "moved"),
    ([removed(PARAGRAPH), added(PARAGRAPH.replace("studies", "no longer studies"))], True, "negation"),
    ([removed("Give 200 mg to the child"), same("Text"), added("Give 400 mg to the child")], True, "dose"),
    (
        [same("Latest news", "2"), removed("Mayor opens a bridge", "l"), added("Mayor visits a school on 4 May", "l")],
        False,
        "outside",
    ),
    ([same("Latest news", "2"), same("Bridge", "3"), changed("Opens 3 May", "Opens 5 May")], False, "outside"),
    (
        [removed("Mayor opens a bridge", "l", "Actualités"), added("Visite du 4 mai", "l", "Actualités")],
        False,
        "outside",
    ),
    ([same("News", "1"), removed(PARAGRAPH)], True, "text_removed"),
    ([changed("Use the form.", "Use this form.")] * 100, False, "spelling"),
    ([changed("We begin it in May.", "We start it in May.", section=str(i)) for i in range(100)], False, "wording"),
]


@pytest.mark.parametrize(("edits", "is_significant", "code"), EDITS)
def test_the_kind_and_place_of_an_edit_decide(edits: list[LineEdit], is_significant: bool, code: str) -> None:
    verdict = judge(edits, PLAIN)
    assert (verdict.significance >= SIGNIFICANT) is is_significant
    assert code in codes(verdict)


CONTEXTS = [
    (JudgeContext(old_title="Climate Change | EPA", new_title="Energy Independence | EPA"), True, "title"),
    (JudgeContext(old_title="EPA - Climate Change", new_title="EPA - Energy Independence"), True, "title"),
    (
        JudgeContext(old_title="Lead in water | EPA", new_title="Lead in water | Environmental Protection"),
        False,
        "site_name",
    ),
    (JudgeContext(old_status=200, new_status=404), True, "status"),
    (JudgeContext(removed_sections=(SectionChange("Effects on health", 120),)), True, "section_removed"),
    (JudgeContext(added_sections=(SectionChange("Warnings", 3),)), True, "warning_added"),
    (JudgeContext(removed_sections=(SectionChange("Mises en garde", 40),)), True, "warning_removed"),
    (JudgeContext(added_sections=(SectionChange("Related links", 30),)), False, "outside"),
    (JudgeContext(removed_links=frozenset({"https://a.gov/report.pdf"})), True, "link_removed"),
    (
        JudgeContext(removed_links=frozenset({"https://a.gov/data"}), added_links=frozenset({"https://shop.com/data"})),
        True,
        "link_domain",
    ),
    (
        JudgeContext(removed_links=frozenset({"https://a.gov/x/a.htm"}), added_links=frozenset({"https://a.gov/y/a"})),
        False,
        "links",
    ),
    (
        JudgeContext(removed_links=frozenset({"https://a.gov/apply"}), added_links=frozenset({"https://a.gov/closed"})),
        True,
        "link",
    ),
    (JudgeContext(added_images=9, removed_images=9), False, "images"),
]


@pytest.mark.parametrize(("context", "is_significant", "code"), CONTEXTS)
def test_title_status_sections_links_and_images_count(context: JudgeContext, is_significant: bool, code: str) -> None:
    verdict = judge([], context)
    assert (verdict.significance >= SIGNIFICANT) is is_significant
    assert code in codes(verdict)


def test_reasons_name_the_old_and_the_new_value() -> None:
    verdict = judge([changed("Take 200 mg daily; you must rest.", "Take 400 mg daily; you should rest.")], PLAIN)
    texts = [reason.text for reason in verdict.reasons]
    assert "a dose changed: 200 mg → 400 mg" in texts
    assert "an obligation changed: must → should" in texts
    assert [reason.weight for reason in verdict.reasons] == sorted((r.weight for r in verdict.reasons), reverse=True)
    assert verdict.significance > max(reason.weight for reason in verdict.reasons)


def test_ignored_and_unchanged_lines_count_nothing() -> None:
    edit = LineEdit(EditKind.CHANGED, page_line("Take 200 mg."), page_line("Take 400 mg."), ignored="volatile")
    assert judge([edit, same("Take 200 mg.")], PLAIN) == Verdict(0.0)


def test_lines_outside_of_the_marked_content_weigh_less() -> None:
    inside = LineEdit(EditKind.SAME, page_line("Text", region="m"), page_line("Text", region="m"))
    edit = changed("Open since 12 May, 40 rooms", "Open since 13 May, 42 rooms")
    assert judge([edit], PLAIN).significance >= SIGNIFICANT
    assert judge([inside, edit], PLAIN).significance < SIGNIFICANT


def test_links_of_a_changed_menu_are_explained_by_it() -> None:
    menu = [changed(f"Topic {i}", f"Subject {i}", "l", is_main=False, region="n") for i in range(9)]
    context = JudgeContext(removed_links=frozenset(f"https://a.gov/{i}" for i in range(9)))
    assert judge(menu, context).significance < SIGNIFICANT
    assert judge([], context).significance >= SIGNIFICANT


def test_a_language_that_capitalises_nouns_has_no_names_by_capitals() -> None:
    edit = changed("Wir prüfen den Antrag in der Behörde heute.", "Wir prüfen das Gesuch in der Behörde heute.")
    assert judge([edit], JudgeContext(language="de")).significance < SIGNIFICANT


def test_the_context_of_two_pages_has_what_differs_between_them() -> None:
    old = PageText("A", (page_line("A"),), links=frozenset({"x", "y"}), images=frozenset({"i"}), language="fr")
    new = PageText("B", (page_line("A"), page_line("B")), links=frozenset({"y", "z"}))
    edits = [same("A"), added("Risks", "2"), added("Wear a mask in the hall"), same("End", "2"), removed("C")]
    context = context_between(old, new, edits)
    assert context.added_sections == (SectionChange("Risks", 3),)
    assert context.removed_sections == ()
    assert (context.added_links, context.removed_links) == (frozenset({"z"}), frozenset({"x"}))
    assert (context.old_title, context.new_title, context.page_lines) == ("A", "B", 2)
    assert (context.removed_images, context.added_images, context.language) == (1, 0, "fr")


HOSTILE = [
    "1 " * 50_000,
    "a@" * 50_000,
    "+1 1" * 25_000,
    "may 1 " * 17_000,
    "not " * 25_000,
    "a'" * 50_000,
    "é" * 100_000,
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.timeout(20)
def test_a_crafted_line_is_judged_within_bounds(text: str) -> None:
    edits = [changed(f"x{text}", f"y{text[::-1]}"), added(text), removed(text[::-1])]
    assert 0 <= judge(edits, PLAIN).significance <= 1


@given(st.lists(st.tuples(st.text(max_size=60), st.text(max_size=60)), max_size=8))
def test_any_edits_have_a_verdict_between_0_and_1(pairs: list[tuple[str, str]]) -> None:
    edits = [changed(old, new) for old, new in pairs] + [added(old) for old, _ in pairs]
    verdict = judge(edits, PLAIN)
    assert 0 <= verdict.significance <= 1
    assert all(0 < reason.weight <= 1 and reason.text for reason in verdict.reasons)
