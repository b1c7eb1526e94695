/* Elements in which all is text: scripts, styles, titles and the like. */
#include "scanner.h"

#include <string.h>

static bool is_decoded(const Tag *tag)
{
    return tag->rules.name == TITLE || tag->rules.name == TEXTAREA;
}

Place behind_line_end(Place at, Place end)
{
    if (at < end && *at == '\r')
        at++;
    return at < end && *at == '\n' ? at + 1 : at;
}

static bool holds_only_space(Scanner *s, const Tag *tag, Place at, Place end)
{
    if (tag->rules.name == TEXTAREA)
        at = behind_line_end(at, end);
    if (!is_decoded(tag) || !memchr(at, '&', (size_t)(end - at)))
        return is_space(at, end);
    s->scratch.size = 0;
    return references_decode_all(&s->references, at, end, IN_TEXT, &s->scratch) &&
           is_space(s->scratch.data, s->scratch.data + s->scratch.size);
}

static bool note_title(Scanner *s, Place at, Place end)
{
    if (s->has_title)
        return true;
    s->has_title = true;
    s->title.size = 0;
    return references_decode_all(&s->references, at, end, IN_TEXT, &s->title);
}

static bool show_example(Scanner *s, const Tag *tag, const Markup *markup, Place at, Place end)
{
    if (!close_paragraph(s) || !push(s, tag, markup->hash, markup))
        return false;
    s->has_space = s->has_space || is_space(at, end);
    return add_text(s, (const char *)at, (size_t)(end - at)) && pop(s);
}

bool take_raw(Scanner *s, const Tag *tag, const Markup *markup, Place at, Place end)
{
    TagName name = tag->rules.name;
    if (name == TITLE && !note_title(s, at, end))
        return false;
    if (name == XMP)
        return show_example(s, tag, markup, at, end);
    /* A reference may be the line end that does not count at the beginning. */
    if (name == TEXTAREA && at < end && *at == '&')
        return false;
    if (!s->in_body || !holds_only_space(s, tag, at, end))
        return true;
    if (s->skipped > 0) {
        s->has_space = true;
        return true;
    }
    return !makes_space(tag) || add_text(s, " ", 1);
}
