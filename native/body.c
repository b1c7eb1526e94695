/* Tags in the body of a page. */
#include "scanner.h"

#include <string.h>

static bool start_item(Scanner *s, const Tag *tag, const Markup *markup)
{
    bool is_li = tag->rules.name == LI;
    for (size_t i = s->depth; i-- > 0;) {
        TagName name = s->open[i].tag->rules.name;
        if (is_li ? name == LI : name == DD || name == DT) {
            if (!pop_until(s, i))
                return false;
            break;
        }
        if (has_rule(&s->open[i], IS_SPECIAL) && name != ADDRESS && name != DIV && name != P)
            break;
    }
    return close_paragraph(s) && push(s, tag, markup->hash, markup);
}

static bool start_option(Scanner *s, const Tag *tag, const Markup *markup)
{
    if (s->ghosts > 0)
        return false;
    if (top_is(s, OPTION) && !pop(s))
        return false;
    if (s->selects > 0 && tag->rules.name == OPTGROUP && top_is(s, OPTGROUP) && !pop(s))
        return false;
    return push(s, tag, markup->hash, markup);
}

static bool start_ruby_part(Scanner *s, const Tag *tag, const Markup *markup)
{
    if (find_open(s, known_hash((Place) "ruby", 4)) != NOWHERE) {
        if (s->ghosts > 0 || (top_is(s, RUBY_PART) && !pop(s)))
            return false;
        if (s->depth > 0 && ends_by_itself(top(s)))
            return false;
    }
    return push(s, tag, markup->hash, markup);
}

static bool start_heading(Scanner *s, const Tag *tag, const Markup *markup)
{
    if (!close_paragraph(s))
        return false;
    size_t around = s->depth;
    while (around > 0 && !has_rule(&s->open[around - 1], IS_SPECIAL))
        around--;
    bool is_around = around > 0 && has_rule(&s->open[around - 1], HEADING);
    if (is_around && (s->ghosts > 0 || (around == s->depth && !pop(s))))
        return false;
    return push(s, tag, markup->hash, markup);
}

static bool start_table(Scanner *s, const Tag *tag, const Markup *markup)
{
    /* In pages of old a table may stand in a paragraph. */
    if (!s->is_standard && find_paragraph(s) != NOWHERE)
        return false;
    return close_paragraph(s) && push(s, tag, markup->hash, markup);
}

static bool show_image(Scanner *s, const Markup *markup)
{
    if (s->skipped > 0 || !decode(s, markup->alt, &s->scratch))
        return s->skipped > 0;
    if (s->scratch.size == 0)
        return true;
    return add_text(s, " ", 1) && add_text(s, (const char *)s->scratch.data, s->scratch.size) && add_text(s, " ", 1);
}

static bool start_empty(Scanner *s, const Tag *tag, const Markup *markup)
{
    switch (tag->rules.name) {
    case IMG:
        return show_image(s, markup);
    case HR:
        return close_paragraph(s) && end_line(s);
    case BR:
        return end_line(s);
    case FRAME:
        return ignore(s);
    default:
        return true;
    }
}

/* Whether the end of a line is written as only a parser would read it: for it, all are line feeds. */
static bool has_carriage_return(Value value)
{
    return value.at != NULL && memchr(value.at, '\r', (size_t)(value.end - value.at)) != NULL;
}

static bool note_link(Scanner *s, const Tag *tag, const Markup *markup)
{
    bool is_frame = tag->rules.name == IFRAME;
    Value value = is_frame ? markup->src : markup->href;
    if (value.at == NULL || value.at == value.end)
        return true;
    if (has_carriage_return(value))
        return false;
    size_t before = s->links.size;
    if (!references_decode_all(&s->references, value.at, value.end, IN_ATTRIBUTE, &s->links))
        return false;
    return s->links.size == before || bytes_add_one(&s->links, 0);
}

static bool note_base(Scanner *s, const Markup *markup)
{
    if (markup->href.at == NULL)
        return markup->src.at == NULL;
    if (s->has_base)
        return true;
    s->has_base = true;
    return !has_carriage_return(markup->href) && decode(s, markup->href, &s->base);
}

bool note_language(Scanner *s, const Markup *markup)
{
    if (s->has_html)
        return !markup->has_attributes;
    s->has_html = true;
    if (has_carriage_return(markup->lang) || has_carriage_return(markup->xml_lang))
        return false;
    return decode(s, markup->lang, &s->language) &&
           (s->language.size > 0 || decode(s, markup->xml_lang, &s->language));
}

bool note(Scanner *s, const Tag *tag, const Markup *markup)
{
    switch (tag->rules.name) {
    case A: case AREA: case IFRAME:
        return note_link(s, tag, markup);
    case BASE:
        return note_base(s, markup);
    default:
        return true;
    }
}

/* A link ends the one that it begins in. */
static bool start_link(Scanner *s, const Tag *tag, const Markup *markup)
{
    bool is_in_link = find_open(s, markup->hash) != NOWHERE;
    if (is_in_link && !close_formatting(s, markup->hash))
        return false;
    return (s->ghosts == 0 || !any_matters(s, 0)) && push(s, tag, markup->hash, markup);
}

bool start_in_body(Scanner *s, const Tag *tag, const Markup *markup)
{
    uint16_t rules = tag->rules.rules;
    if (rules & EMPTY)
        return start_empty(s, tag, markup);
    if (rules & HEADING)
        return start_heading(s, tag, markup);
    if ((rules & FORMATTING) && tag->rules.name != A)
        return push(s, tag, markup->hash, markup);
    switch (tag->rules.name) {
    case A:
        return start_link(s, tag, markup);
    case BUTTON:
        if (find_open(s, markup->hash) != NOWHERE)
            return false;
        break;
    case FORM:
        return start_form(s, tag, markup);
    case LI: case DD: case DT:
        return start_item(s, tag, markup);
    case OPTION: case OPTGROUP:
        return start_option(s, tag, markup);
    case RUBY_PART:
        return start_ruby_part(s, tag, markup);
    case TABLE:
        return start_table(s, tag, markup);
    case SVG:
        if (markup->is_self_closing)
            return true;
        s->foreign = s->depth + 1;
        break;
    default:
        if ((rules & BLOCK) && !close_paragraph(s))
            return false;
    }
    return push(s, tag, markup->hash, markup);
}

static bool end_paragraph(Scanner *s)
{
    if (is_in_table(s))
        return false;
    long found = find_paragraph(s);
    return found == NOWHERE ? end_line(s) : pop_until(s, (size_t)found);
}

static bool end_heading(Scanner *s)
{
    for (size_t i = s->depth; i-- > 0 && !has_rule(&s->open[i], SCOPE);)
        if (has_rule(&s->open[i], HEADING))
            return pop_until(s, i);
    return ignore(s);
}

bool end_in_body(Scanner *s, const Tag *tag, uint64_t hash)
{
    uint16_t rules = tag->rules.rules;
    switch (tag->rules.name) {
    case P:
        return end_paragraph(s);
    case BR:
        return !is_in_table(s) && end_line(s);
    case LI:
        return close_in_scope(s, find_in_scope(s, hash, OL, UL));
    case FORM:
        return end_form(s, hash);
    case TABLE:
        return end_in_table(s, hash);
    case BODY: case HTML:
        /* What is behind them goes on in the body, but a text that was begun does not. */
        return s->skipped == 0 && ignore(s);
    case HEAD:
        return ignore(s);
    case NOSCRIPT:
        return close_ordinary(s, hash);
    default:
        break;
    }
    if (rules & HEADING)
        return end_heading(s);
    if (rules & OF_TABLE)
        return end_in_table(s, hash);
    if (rules & FORMATTING)
        return close_formatting(s, hash);
    if (rules & (EMPTY | RAW))
        return ignore(s);
    if (rules & (BLOCK | IS_SPECIAL))
        return close_in_scope(s, find_open(s, hash));
    return close_ordinary(s, hash);
}
