import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.charset import charset_of, text_of
from webstrata.content.html import parse_page

UTF8 = "text/html; charset=utf-8"
FRENCH = "<title>Déjà l'été: élèves, garçons, hôpitaux, où ça, forêt, naïveté</title>"
RUSSIAN = "<title>Грипп и прививки: что нужно знать о сезонной вакцинации</title>"


@pytest.mark.parametrize(
    ("body", "content_type", "charset"),
    [
        (codecs.BOM_UTF8 + b"<meta charset=koi8-r>", "text/html; charset=iso-8859-1", "utf-8"),
        (codecs.BOM_UTF16_LE + "é".encode("utf-16-le"), UTF8, "utf-16-le"),
        (codecs.BOM_UTF16_BE + "é".encode("utf-16-be"), None, "utf-16-be"),
        (b"<meta charset=koi8-r>", UTF8, "utf-8"),
        (b"<meta charset=koi8-r>", 'text/html;x="y"; Charset="Windows-1251"', "cp1251"),
        (b"<meta charset=koi8-r>", "text/html; charset=nonsense", "koi8-r"),
        (b"<META http-equiv=Content-Type content='text/html; charset=windows-1251'>", "text/html", "cp1251"),
        (b"<!-- <meta charset=koi8-r> --><meta charset='windows-1251'>", None, "cp1251"),
        (b"<?xml version='1.0' encoding='iso-8859-2'?><html>", "application/xhtml+xml", "iso8859-2"),
        (b"x" * 2_000 + b"<meta charset=koi8-r>", None, "koi8-r"),
        (b"<meta charset=iso-8859-1>", None, "cp1252"),
        (b"<meta charset=latin1>", None, "cp1252"),
        (b"<meta charset=us-ascii>", None, "cp1252"),
        (b"<meta charset=utf-16>", None, "utf-8"),
        (FRENCH.encode("utf-8"), None, "utf-8"),
        (FRENCH.encode("latin-1"), "text/html", "cp1252"),
        (RUSSIAN.encode("cp1251"), None, "cp1251"),
        ("<p>東京の天気".encode(), None, "utf-8"),
        (b"", None, "utf-8"),
    ],
)
def test_the_charset_comes_from_the_mark_then_http_then_the_page_then_its_bytes(
    body: bytes, content_type: str | None, charset: str
) -> None:
    assert charset_of(body, content_type) == charset


@pytest.mark.parametrize("name", ["rot13", "hex", "zlib", "idna", "utf-7", "unicode_escape", "undefined", "\0", "é"])
def test_a_name_that_is_no_charset_of_the_web_is_ignored(name: str) -> None:
    assert text_of("é".encode(), f"text/html; charset={name}") == "é"


@given(
    st.binary().map(lambda body: bytes(byte & 127 for byte in body))
    | st.text("ab~{}\x1b$(B\0+-", min_size=1).map(str.encode)
)
def test_a_body_that_needs_no_detection_reads_as_if_it_had_been_detected(body: bytes) -> None:
    assert text_of(body, None) == body.decode(charset_of(body, None), "replace")


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("iso-8859-1", "“quoted” – €5"),
        ("shift_jis", "①髙﨑"),
        ("euc-kr", "똠방각하"),
        ("gb2312", "镕"),
        ("big5", "嘅"),
        ("euc-jp", "日本語"),
        ("iso-8859-15", "€œ"),
        ("windows-874", "ภาษาไทย"),
    ],
)
def test_a_page_reads_as_in_a_browser(charset: str, text: str) -> None:
    written = {"iso-8859-1": "cp1252", "shift_jis": "cp932", "euc-kr": "cp949", "gb2312": "gbk", "big5": "big5hkscs"}
    body = text.encode({"windows-874": "cp874"}.get(charset, written.get(charset, charset)))
    assert text_of(body, f"text/html; charset={charset}") == text


def test_the_byte_order_mark_is_no_part_of_the_page() -> None:
    assert text_of(codecs.BOM_UTF8 + b"<p>x", None) == "<p>x"
    assert parse_page(codecs.BOM_UTF16_LE + "<p>x".encode("utf-16-le")).text == "x"


TEXTS = {
    "fr": "La grippe saisonnière est une infection du nez, de la gorge et des poumons. À l'hôpital, où ça été naïf. ",
    "de": "Größere Städte überprüfen für gewöhnlich die Straßenbeläge und äußern sich darüber öffentlich. ",
    "pl": "Szczepionka przeciw grypie chroni osoby starsze i dzieci; żółć, ślad, źródło, ćma, łąka, ósmy. ",
    "ru": "Сезонный грипп является инфекцией носа, горла и лёгких. Большинство людей выздоравливает за неделю. ",
    "uk": "Сезонний грип є інфекцією носа, горла та легень. Більшість людей одужує протягом тижня, її, ґанок. ",
    "el": "Η εποχική γρίπη είναι λοίμωξη της μύτης, του λαιμού και των πνευμόνων. Οι περισσότεροι αναρρώνουν. ",
    "he": "שפעת עונתית היא זיהום של האף, הגרון והריאות. רוב האנשים מחלימים תוך שבוע ללא טיפול. ",
    "ar": "الإنفلونزا الموسمية هي عدوى تصيب الأنف والحلق والرئتين. يتعافى معظم الناس في غضون أسبوع دون علاج. ",
    "tr": "Mevsimsel grip burun, boğaz ve akciğerlerin enfeksiyonudur. Çoğu insan bir hafta içinde iyileşir. ",
    "th": "ไข้หวัดใหญ่ตามฤดูกาลเป็นการติดเชื้อของจมูก คอ และปอด คนส่วนใหญ่หายภายในหนึ่งสัปดาห์ ",
    "ja": "季節性インフルエンザは鼻、喉、肺の感染症です。ほとんどの人は治療なしで一週間以内に回復します。",
    "zh": "季节性流感是鼻子、喉咙和肺部的感染。大多数人无需治疗即可在一周内康复。老年人和儿童可能病重。",
    "tw": "季節性流感是鼻子、喉嚨和肺部的感染。大多數人無需治療即可在一週內康復。老年人和兒童可能病重。",
    "ko": "계절성 인플루엔자는 코, 목, 폐의 감염입니다. 대부분의 사람들은 일주일 이내에 회복합니다. ",
}
WRITTEN = {
    "fr": ("windows-1252", "iso-8859-15", "utf-8", "utf-16-le", "utf-16-be"),
    "de": ("iso-8859-1",),
    "ru": ("windows-1251", "koi8-r", "iso-8859-5", "ibm866"),
    "uk": ("koi8-u",),
    "el": ("iso-8859-7", "windows-1253"),
    "he": ("windows-1255",),
    "ar": ("windows-1256", "iso-8859-6"),
    "tr": ("windows-1254",),
    "th": ("windows-874",),
    "ja": ("shift_jis", "euc-jp", "iso-2022-jp", "utf-16-le"),
    "zh": ("gb2312", "gb18030"),
    "tw": ("big5",),
    "ko": ("euc-kr",),
}
UNDECLARED = [(language, charset) for language, charsets in WRITTEN.items() for charset in charsets]
DECLARED = [*UNDECLARED, ("pl", "iso-8859-2"), ("pl", "windows-1250")]


def page(language: str, charset: str) -> tuple[str, bytes]:
    html = f"<html><head><title>{language}</title></head><body><p>{TEXTS[language] * 6}</p></body></html>"
    return html, html.encode({"windows-874": "cp874"}.get(charset, charset))


@pytest.mark.parametrize(("language", "charset"), DECLARED)
def test_a_page_reads_as_it_was_written_when_it_states_in_what(language: str, charset: str) -> None:
    html, body = page(language, charset)
    assert text_of(body, f"text/html; charset={charset}") == html


@pytest.mark.parametrize(("language", "charset"), UNDECLARED)
def test_a_page_that_states_nothing_reads_as_it_was_written(language: str, charset: str) -> None:
    html, body = page(language, charset)
    assert text_of(body, None) == html
    assert text_of(body, None) == html


@pytest.mark.parametrize("charset", ["windows-1251", "shift_jis", "euc-kr", "windows-1252"])
def test_a_page_in_another_charset_than_utf8_is_not_read_as_such_whatever_the_server_says(charset: str) -> None:
    language = {"windows-1251": "ru", "shift_jis": "ja", "euc-kr": "ko", "windows-1252": "fr"}[charset]
    html, body = page(language, charset)
    assert text_of(body, UTF8) == html


def test_utf8_is_read_as_such_when_the_server_states_what_servers_state_by_default() -> None:
    html, body = page("fr", "utf-8")
    assert text_of(body, "text/html; charset=ISO-8859-1") == html


@pytest.mark.parametrize("content_type", [UTF8, None])
def test_a_broken_letter_costs_only_itself(content_type: str | None) -> None:
    html, body = page("fr", "utf-8")
    assert text_of(body + b"\xe9", content_type) == html + "\ufffd"
