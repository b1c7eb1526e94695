"""Some six hundred made-up pages of public health, English and French, always the same ones."""

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from webstrata.db.captures import captures, snapshots
from webstrata.db.captures.documents import ensure_documents
from webstrata.db.captures.new_rows import NewCapture
from webstrata.db.captures.snapshots import NewSnapshot
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.search.indexed_words import NewDocument
from webstrata.model.jobs.job import JobConfig
from webstrata.model.urls import surt, url_group

ENGLISH, FRENCH = "https://health.example/en", "https://sante.example/fr"

TOPICS = [
    *(("measles", "rougeole"), ("mumps", "oreillons"), ("rubella", "rubéole"), ("tetanus", "tétanos")),
    *(("whooping cough", "coqueluche"), ("influenza", "grippe"), ("chickenpox", "varicelle"), ("shingles", "zona")),
    *(("hepatitis", "hépatite"), ("tuberculosis", "tuberculose"), ("malaria", "paludisme"), ("cholera", "choléra")),
    *(("rabies", "rage"), ("lyme disease", "maladie de Lyme"), ("west nile virus", "virus du Nil occidental")),
    *(("salmonella", "salmonelle"), ("listeria", "listériose"), ("botulism", "botulisme"), ("asthma", "asthme")),
    *(("diabetes", "diabète"), ("hypertension", "hypertension artérielle"), ("stroke", "accident cérébral")),
    *(("breast cancer", "cancer du sein"), ("lung cancer", "cancer du poumon"), ("dementia", "démence")),
    *(("depression", "dépression"), ("anxiety", "anxiété"), ("obesity", "obésité"), ("anaemia", "anémie")),
    *(("food allergy", "allergie alimentaire"), ("sunburn", "coup de soleil"), ("heat stroke", "coup de chaleur")),
    *(("frostbite", "gelure"), ("drowning", "noyade"), ("poisoning", "intoxication"), ("concussion", "commotion")),
    *(("smoking", "tabagisme"), ("vaping", "vapotage"), ("alcohol", "alcool"), ("cannabis", "chanvre")),
    *(("opioid overdose", "surdose d'opioïdes"), ("hearing loss", "perte auditive"), ("glaucoma", "glaucome")),
]
ASPECTS = [
    ("", "", "is described here: what it is, who gets it, and where to find help", "est décrit ici, avec ses causes"),
    ("symptoms", "symptômes", "may begin with fever, a rash or tiredness", "commence souvent par de la fièvre"),
    ("treatment", "traitement", "is treated at home or in hospital, after a doctor's advice", "se traite à l'hôpital"),
    (
        "prevention",
        "prévention",
        "can be prevented: wash your hands and stay informed",
        "peut être évité par l'hygiène",
    ),
    ("statistics", "statistiques", "is counted every week in all provinces", "est compté chaque semaine au Canada"),
    ("risks", "risques", "is more dangerous for infants, elders and pregnant women", "menace surtout les aînés"),
    ("research", "recherche", "is studied in laboratories; new findings are published", "est étudié en laboratoire"),
]
SPECIAL = [
    (
        "laws/food-and-drugs-act",
        "Food and Drugs Act",
        "The Food and Drugs Act governs the safety of food and drugs sold.",
    ),
    (
        "laws/tobacco-act",
        "Tobacco and Vaping Products Act",
        "The act regulates the sale of tobacco and vaping products.",
    ),
    ("laws/quarantine-act", "Quarantine Act", "The act protects the public by measures at the border."),
    ("diseases/coronavirus", "Coronavirus disease (COVID-19)", "Coronavirus spreads by droplets. Wear a mask indoors."),
    (
        "diseases/coronavirus/vaccines",
        "COVID-19 vaccines",
        "Vaccines against COVID-19 are offered to adults and children.",
    ),
    ("recalls/infant-formula-2024", "Recall: infant formula", "Lot 4471 of an infant formula is recalled: salmonella."),
    ("recalls/lettuce", "Recall: romaine lettuce", "Romaine lettuce is recalled because of E. coli O157:H7."),
    ("food-guide", "Food guide", "Eat plenty of vegetables and fruits, whole grain foods and protein foods."),
    ("food-guide/snapshot", "Food guide snapshot", "Have plenty of vegetables. Make water your drink of choice."),
    ("drugs/insulin", "Insulin pens", "Insulin pens hold 3 mL. Never share a pen: infections spread with blood."),
    ("drugs/acetaminophen", "Acetaminophen dosage", "Children of 10 kg take 120 mg; never more than five doses a day."),
    ("drugs/naloxone", "Naloxone kits", "Naloxone reverses an overdose of opioids for a short time. Call 911."),
    (
        "travel/yellow-fever",
        "Yellow fever certificates",
        "Some countries ask travellers for proof of a yellow fever shot.",
    ),
    ("travel/zika", "Zika virus and travel", "Pregnant travellers should avoid countries where Zika spreads."),
    ("air-quality", "Air quality and wildfire smoke", "When the index is above 7, stay inside and close windows."),
    ("water/lead", "Lead in drinking water", "Let the tap run for five minutes before you drink: pipes of lead."),
    ("water/boil-advisories", "Boil water advisories", "Bring water to a rolling boil for one minute before drinking."),
    ("radon", "Radon gas in homes", "Radon is a gas without smell. Measure for three months in winter."),
    ("emergency/ice-storm", "Ice storm: be prepared", "Keep a kit for 72 hours: water, food, radio, batteries."),
    ("contact", "Contact us", "Call 1-800-555-0199 or write to info@health.example, Monday to Friday."),
    ("careers", "Careers", "We hire nurses, inspectors and scientists. Apply online before the end of the month."),
    ("mental-health/crisis-lines", "Crisis lines", "If you think of suicide, call or text 988 at any hour."),
    (
        "seniors/falls",
        "Preventing falls",
        "Remove loose rugs and light the stairs. Falls are the main cause of injury.",
    ),
    ("children/car-seats", "Car seats", "Infants ride facing the rear until they outgrow the seat."),
]
SPECIAL_FRENCH = [
    (
        "lois/aliments-et-drogues",
        "Loi sur les aliments et drogues",
        "La loi régit la sûreté des aliments et des drogues.",
    ),
    (
        "maladies/coronavirus",
        "Maladie à coronavirus (COVID-19)",
        "Le coronavirus se transmet par gouttelettes. Portez un masque.",
    ),
    ("rappels/laitue", "Rappel : laitue romaine", "La laitue romaine est rappelée à cause d'E. coli O157:H7."),
    ("guide-alimentaire", "Guide alimentaire", "Mangez des légumes et des fruits en abondance, et des grains entiers."),
    ("eau/plomb", "Plomb dans l'eau potable", "Laissez couler l'eau cinq minutes avant de la boire."),
    ("urgence/tempete-de-verglas", "Tempête de verglas", "Gardez une trousse pour 72 heures : eau, nourriture, radio."),
    ("ete/chaleur", "Chaleur extrême en été", "L'été, buvez de l'eau, restez au frais et visitez vos voisins âgés."),
    ("aines/chutes", "Prévenir les chutes", "Enlevez les tapis et éclairez l'escalier. Les chutes blessent les aînés."),
]
EN_FILLER = [
    "Ask a nurse when you are not sure",
    "Read the notice again next month",
    "Local offices answer questions by telephone",
    "This page was written by a team of editors",
    "Share it with your family and with your neighbours",
]
FR_FILLER = [
    "Parlez-en à votre infirmière",
    "Relisez cet avis le mois prochain",
    "Les bureaux locaux répondent par téléphone",
    "Cette page a été rédigée par une équipe",
    "Partagez-la avec votre famille et vos voisins",
]
FIRST_DAY = datetime(2024, 1, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Made:
    """A page: where it is, what it says."""

    path: str
    url: str
    title: str
    text: str
    language: str

    @property
    def document(self) -> NewDocument:
        return NewDocument(url_group(self.url), self.title, self.text)


def corpus() -> list[Made]:
    """Return all pages, always in the same order and with the same words."""
    chance = random.Random(20240501)
    pages = list(_topics(chance))
    for base, language, special in ((ENGLISH, "en", SPECIAL), (FRENCH, "fr", SPECIAL_FRENCH)):
        filler = EN_FILLER if language == "en" else FR_FILLER
        pages += [
            Made(path, f"{base}/{path}", title, f"{text} {_some(chance, filler)}", language)
            for path, title, text in special
        ]
    return pages


def _topics(chance: random.Random) -> Iterator[Made]:
    for number, (english, french) in enumerate(TOPICS):
        other = TOPICS[(number + 1) % len(TOPICS)]
        for aspect, aspect_fr, says, says_fr in ASPECTS:
            title = f"{english} {aspect}".strip().capitalize()
            text = (
                f"{english.capitalize()} {says}. See also the pages about {other[0]}. "
                f"{_some(chance, EN_FILLER)} The text of our page on {english} {aspect} is reviewed every year."
            )
            path = "/".join(part for part in ("diseases", english.replace(" ", "-"), aspect) if part)
            yield Made(path, f"{ENGLISH}/{path}", title, text, "en")
            title = f"{french} : {aspect_fr}" if aspect_fr else french
            text = (
                f"{french.capitalize()} {says_fr}. Voyez aussi les pages sur {other[1]}. "
                f"{_some(chance, FR_FILLER)} Notre page sur {french} {aspect_fr} est revue chaque année."
            )
            name = french.replace(" ", "-").replace("'", "-")
            path = "/".join(part for part in ("maladies", name, aspect_fr) if part)
            yield Made(path, f"{FRENCH}/{path}", title[:1].upper() + title[1:], text, "fr")


def _some(chance: random.Random, sentences: list[str]) -> str:
    return " ".join(f"{sentence}." for sentence in chance.sample(sentences, 3) if sentence)


def stock(database: Database, pages: list[Made]) -> dict[int, str]:
    """Put pages into a database, each captured once, and return which snapshot is which page."""
    with database.write() as session:
        source_id = jobs.ensure_source(session, "health", name="Health", base_url=None)
        job_id = jobs.add_job(
            session, source_id, name="health", output_dir="", config=JobConfig(()), queued_at=FIRST_DAY
        )
        warc_id = captures.add_warc_file(session, job_id, "health.warc.gz")
        found = [_capture(offset, page) for offset, page in enumerate(pages, 1)]
        captures.add_captures(session, job_id, source_id, warc_id, found)
        capture_ids = captures.capture_ids(session, warc_id, [capture.offset for capture in found])
        ids = ensure_documents(session, [page.document for page in pages])
        rows = [
            _snapshot(page, capture, (job_id, source_id, capture_ids[capture.offset], ids[page.document.key]), number)
            for number, (page, capture) in enumerate(zip(pages, found, strict=True), 1)
        ]
        snapshots.save_snapshots(session, rows)
        snapshots.refresh_pages(session, source_id, {row.normalized_url_group for row in rows})
    return {number: page.path for number, page in enumerate(pages, 1)}


def _capture(offset: int, page: Made) -> NewCapture:
    return NewCapture(
        offset=offset,
        length=1,
        record_id=f"<urn:uuid:{offset}>",
        record_type="response",
        url=page.url,
        url_key=surt(page.url),
        captured_at=FIRST_DAY + timedelta(hours=offset),
        status_code=200,
        mime_type="text/html",
        payload_digest=None,
    )


def _snapshot(page: Made, capture: NewCapture, filed: tuple[int, int, int, int], number: int) -> NewSnapshot:
    job_id, source_id, capture_id, document_id = filed
    return NewSnapshot(
        job_id=job_id,
        source_id=source_id,
        capture_id=capture_id,
        document_id=document_id,
        url=page.url,
        normalized_url_group=page.document.normalized_url_group,
        capture_timestamp=capture.captured_at,
        mime_type="text/html",
        status_code=200,
        title=page.title,
        snippet=page.text[:100],
        language=page.language,
        warc_path="health.warc.gz",
        warc_record_id=capture.record_id,
        warc_offset=capture.offset,
        warc_length=1,
        content_hash=hashlib.sha256(page.text.encode()).hexdigest(),
        id=number,
    )
