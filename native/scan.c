/* A page from its source, in one pass: head, body, drawings and templates, tag by tag and text by text. */
#include "scanner.h"

#include <string.h>

enum { MOST_KEPT = 4000000 };

static bool is_allowed_in_head_noscript(const Tag *tag)
{
    TagName name = tag->rules.name;
    bool is_other = name != BASE && name != SCRIPT && name != TITLE && name != TEMPLATE && name != NOSCRIPT;
    return (tag->rules.rules & IN_HEAD) && is_other;
}

/* Leave the head for what cannot stand in it. */
static bool begin_body(Scanner *s)
{
    s->in_body = true;
    return s->depth == 0 || pop_until(s, 0);
}

static bool prepare_head(Scanner *s, const Tag *tag)
{
    TagName name = tag->rules.name;
    if (s->in_body || name == HTML || name == HEAD)
        return true;
    bool in_noscript = top_is(s, NOSCRIPT);
    if (in_noscript && name == NOSCRIPT)
        return false;
    if (in_noscript && !is_allowed_in_head_noscript(tag) && !pop(s))
        return false;
    bool stays = (tag->rules.rules & IN_HEAD) && !(name == NOSCRIPT && s->is_behind_head);
    return stays || begin_body(s);
}

static bool tag_in_template(Scanner *s, const Tag *tag, const Markup *markup)
{
    TagName name = tag->rules.name;
    bool is_strange = tag->rules.spelling[0] == 0;
    /* Behind a column, nothing but columns counts in a template. */
    if ((tag->rules.rules & REFUSED) || name == COL)
        return false;
    if (s->svg_in_templates > 0 && !is_strange && name != SVG)
        return false;
    bool is_fence = (tag->rules.rules & FENCE) || name == TD || name == CAPTION;
    s->formats_in_templates = s->formats_in_templates || (tag->rules.rules & FORMATTING);
    if (s->formats_in_templates && is_fence)
        return false;
    if (name == SVG && markup->is_end)
        s->svg_in_templates -= s->svg_in_templates > 0;
    else if (name == SVG)
        s->svg_in_templates += !markup->is_self_closing;
    else if (name == TEMPLATE && markup->is_end)
        s->templates--;
    else if (name == TEMPLATE)
        s->templates++;
    return true;
}

static bool tag_in_svg(Scanner *s, const Tag *tag, const Markup *markup)
{
    bool is_strange = tag->rules.spelling[0] == 0;
    if (markup->is_end)
        return top(s)->hash == markup->hash && pop(s);
    if (!is_strange && !(tag->rules.rules & FOREIGN_TOO))
        return false;
    if (top_is(s, TITLE) || top_is(s, STYLE) || top_is(s, DESC) || !note(s, tag, markup))
        return false;
    return markup->is_self_closing || push(s, tag, markup->hash, NULL);
}

static bool may_stand_in_table(const Tag *tag)
{
    TagName name = tag->rules.name;
    bool is_ours = name == SCRIPT || name == STYLE || name == INPUT || name == FORM || name == TEMPLATE;
    return is_ours || (tag->rules.rules & OF_TABLE);
}

static bool take_start(Scanner *s, const Tag *tag, const Markup *markup)
{
    TagName name = tag->rules.name;
    if ((tag->rules.rules & REFUSED) || !prepare_head(s, tag) || !note(s, tag, markup))
        return false;
    if (name == HTML)
        return note_language(s, markup) && ignore(s);
    if (name == HEAD || name == BODY)
        return ignore(s);
    if (is_in_table(s) && !may_stand_in_table(tag))
        return false;
    if (s->selects > 0 && name != OPTION && name != OPTGROUP)
        return false;
    if (name == TEMPLATE) {
        s->templates = 1;
        s->svg_in_templates = 0;
        s->formats_in_templates = false;
        return true;
    }
    return (tag->rules.rules & OF_TABLE) ? start_part_of_table(s, tag, markup) : start_in_body(s, tag, markup);
}

static bool take_end(Scanner *s, const Tag *tag, const Markup *markup)
{
    TagName name = tag->rules.name;
    if (tag->rules.rules & REFUSED)
        return false;
    if (s->selects > 0 && name != OPTION && name != OPTGROUP && name != SELECT)
        return false;
    if (!s->in_body && top_is(s, NOSCRIPT) && name != NOSCRIPT && name != BR)
        return true;
    if (!s->in_body && name == HEAD)
        s->is_behind_head = true;
    if (!s->in_body && name != BR && name != BODY && name != HTML)
        return name != NOSCRIPT || close_ordinary(s, markup->hash);
    if (!s->in_body && !begin_body(s))
        return false;
    return end_in_body(s, tag, markup->hash);
}

static bool take_tag(Scanner *s, const Tag *tag, const Markup *markup)
{
    if (s->templates > 0)
        return tag_in_template(s, tag, markup);
    s->was_ignored = false;
    bool taken = s->foreign > 0   ? tag_in_svg(s, tag, markup)
                 : markup->is_end ? take_end(s, tag, markup)
                                  : take_start(s, tag, markup);
    if (!s->was_ignored)
        end_unseen_text(s);
    return taken;
}

/* Whether a text in a page's head begins with a reference: what it stands for decides whether the head ends. */
static bool may_begin_body(Place at, Place end)
{
    while (at < end && is_blank(at, at + 1))
        at++;
    return at < end && *at == '&';
}

static bool take_text(Scanner *s, Place at, Place end)
{
    if (at == end || s->templates > 0)
        return true;
    bool blank = is_blank(at, end);
    if (blank && !s->in_body)
        return true;
    if (!blank && is_in_table(s))
        return false;
    if (!s->in_body && (may_begin_body(at, end) || !begin_body(s)))
        return false;
    s->has_begun = true;
    if (s->skipped > 0 && s->has_space)
        return true;
    if (!blank && memchr(at, '&', (size_t)(end - at))) {
        s->scratch.size = 0;
        if (!references_decode_all(&s->references, at, end, IN_TEXT, &s->scratch))
            return false;
        at = s->scratch.data;
        end = at + s->scratch.size;
    }
    if (s->skipped > 0) {
        s->unseen = s->unseen != FILLED_TEXT && is_space(at, end) ? BLANK_TEXT : FILLED_TEXT;
        return true;
    }
    return add_text(s, (const char *)at, (size_t)(end - at));
}

/* Take a raw element and what is in it; return what is behind it, or NULL when the page is refused. */
static Place scan_raw(Scanner *s, const Tag *tag, const Markup *markup, Place at, Place end)
{
    Place raw_end = find_raw_end(at, end, tag->rules.spelling);
    Markup closing;
    Place behind = raw_end == NULL ? NULL : read_tag(raw_end + 2, end, &closing);
    if (behind == NULL || s->selects > 0)
        return NULL;
    if (s->templates > 0)
        return s->svg_in_templates > 0 ? NULL : behind;
    TagName name = tag->rules.name;
    if (is_in_table(s) && name != SCRIPT && name != STYLE)
        return NULL;
    end_unseen_text(s);
    bool is_taken = prepare_head(s, tag) && note(s, tag, markup) && take_raw(s, tag, markup, at, raw_end);
    return is_taken ? behind : NULL;
}

/* Take a tag; return what is behind it, or NULL when the page is refused. */
static Place scan_tag(Scanner *s, Place name, Place end)
{
    Markup markup;
    Place behind = read_tag(name, end, &markup);
    if (behind == NULL)
        return NULL;
    s->has_begun = true;
    const Tag *tag = tag_of(s, &markup);
    if ((tag->rules.rules & RAW) && !markup.is_end && s->foreign == 0)
        return scan_raw(s, tag, &markup, behind, end);
    if (!take_tag(s, tag, &markup))
        return NULL;
    if (tag->rules.name != PRE || markup.is_end)
        return behind;
    /* A reference, or one behind nothing, may be the line end that does not count here. */
    if (s->skipped > 0 && behind < end && (*behind == '&' || *behind == '<'))
        return NULL;
    return behind_line_end(behind, end);
}

/* Tell whether this is a doctype, and note whether it says, before all else, that the page follows today's rules. */
static bool scan_doctype(Scanner *s, Place at, Place end)
{
    static const char DOCTYPE[] = "<!doctype";
    const size_t size = sizeof DOCTYPE - 1;
    if ((size_t)(end - at) < size || !same_folded(at, DOCTYPE, size))
        return false;
    if (s->has_begun)
        return true;
    s->has_begun = true;
    at += size;
    while (at < end && is_blank(at, at + 1))
        at++;
    if (end - at < 5 || !same_folded(at, "html", 4))
        return true;
    at += 4;
    while (at < end && is_blank(at, at + 1))
        at++;
    s->is_standard = at < end && *at == '>';
    return true;
}

static Place scan_markup(Scanner *s, Place at, Place end)
{
    bool is_end = at[1] == '/';
    if (is_letter(at[1 + is_end]))
        return scan_tag(s, at + 1 + is_end, end);
    if (is_end && at[2] == '>')
        return at + 3;
    if ((s->foreign > 0 || s->svg_in_templates > 0) && at[1] == '!' && at[2] == '[')
        return NULL;
    if (!scan_doctype(s, at, end))
        end_unseen_text(s);
    return read_comment(at, end);
}

static bool begins_markup(Place at)
{
    return is_letter(at[1]) || at[1] == '/' || at[1] == '!' || at[1] == '?';
}

/* Return where the next markup begins; the end when there is none. */
static Place find_markup(Place at, Place end)
{
    while ((at = at < end ? memchr(at, '<', (size_t)(end - at)) : NULL)) {
        if (end - at < 3 || begins_markup(at))
            return at;
        at++;
    }
    return end;
}

static bool scan(Scanner *s, Place at, Place end)
{
    while (at < end) {
        Place markup = find_markup(at, end);
        if (!take_text(s, at, markup))
            return false;
        if (markup == end)
            break;
        if (end - markup < 3 || !(at = scan_markup(s, markup, end)))
            return false;
    }
    while (s->depth > 0)
        if (!pop(s))
            return false;
    return end_line(s);
}

/* Give back what only a vast page needed. */
static void clear(Bytes *bytes)
{
    if (bytes->room > MOST_KEPT)
        bytes_free(bytes);
    bytes->size = 0;
}

static void begin(Scanner *s)
{
    Lines *lines = &s->lines;
    Bytes *all[] = {&lines->text, &lines->letters, &lines->code, &s->title, &s->language, &s->links, &s->base, &s->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        clear(all[i]);
    lines->has_begun = lines->space_is_due = false;
    s->depth = s->skipped = s->foreign = s->templates = s->svg_in_templates = s->selects = s->ghosts = 0;
    s->ghost_names = 0;
    s->has_title = s->has_base = s->has_space = s->was_ignored = s->formats_in_templates = s->in_body = false;
    s->has_begun = s->is_behind_head = s->is_standard = s->has_html = s->has_button = false;
    s->unseen = NO_TEXT;
    s->form = NO_FORM;
    s->kind = 'o';
    s->spot = ANYWHERE;
}

/* Read a page, which is UTF-8; false when it is not written plainly enough. */
EXPORTED bool page_scan(Scanner *s, Place source, size_t size)
{
    begin(s);
    Place end = source + size;
    if (size == 0 || memchr(source, 0, size) != NULL || !scan(s, source, end))
        return false;
    /* What a page without a title is called takes a look at its headings, in a tree. */
    return s->title.size > 0 && !is_space(s->title.data, s->title.data + s->title.size);
}

/* Return a part of what was found in the page that was read last. */
EXPORTED const uint8_t *page_part(const Scanner *s, uint8_t which, size_t *size)
{
    const Bytes *part = which == 't'   ? &s->title
                        : which == 'x' ? &s->lines.text
                        : which == 'b' ? &s->lines.letters
                        : which == 'l' ? &s->language
                        : which == 'r' ? &s->links
                                       : &s->base;
    *size = part->size;
    return part->data;
}

EXPORTED bool page_has_base(const Scanner *s)
{
    return s->has_base;
}
