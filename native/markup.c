/* Tags and comments as they are written, by the standard's section on tokens. */
#include "markup.h"

#include <string.h>

enum { MOST_ATTRIBUTES = 1000 };

bool is_letter(uint8_t byte)
{
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

static bool is_html_space(uint8_t byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r' || byte == '\f';
}

bool is_blank(Place at, Place end)
{
    while (at < end && is_html_space(*at))
        at++;
    return at == end;
}

static const bool ENDS_NAME[256] = {
    [' '] = true, ['\n'] = true, ['\t'] = true, ['\r'] = true, ['\f'] = true, ['/'] = true, ['>'] = true,
};

static const bool ENDS_ATTRIBUTE_NAME[256] = {
    [' '] = true, ['\n'] = true, ['\t'] = true, ['\r'] = true, ['\f'] = true, ['/'] = true, ['>'] = true, ['='] = true,
};

static Value *value_of(Markup *tag, Place name, size_t size)
{
    switch (size) {
    case 2:
        return same_folded(name, "id", 2) ? &tag->id : NULL;
    case 3:
        return same_folded(name, "src", 3) ? &tag->src : same_folded(name, "alt", 3) ? &tag->alt : NULL;
    case 4:
        if (same_folded(name, "href", 4))
            return &tag->href;
        return same_folded(name, "role", 4) ? &tag->role : same_folded(name, "lang", 4) ? &tag->lang : NULL;
    case 5:
        return same_folded(name, "class", 5) ? &tag->class_ : NULL;
    case 8:
        return same_folded(name, "xml:lang", 8) ? &tag->xml_lang : NULL;
    default:
        return NULL;
    }
}

/* Read what is behind an attribute's `=`. */
static Place read_value(Place at, Place end, Value *value)
{
    while (at < end && is_html_space(*at))
        at++;
    if (at == end)
        return NULL;
    if (*at == '"' || *at == '\'') {
        value->at = at + 1;
        value->end = memchr(at + 1, *at, (size_t)(end - at - 1));
        return value->end == NULL ? NULL : value->end + 1;
    }
    value->at = at;
    while (at < end && *at != '>' && !is_html_space(*at))
        at++;
    value->end = at;
    return at;
}

static Place read_attribute(Place at, Place end, Markup *tag)
{
    Place name = at++; /* Whatever comes first belongs to the name, even a `=`. */
    while (at < end && !ENDS_ATTRIBUTE_NAME[*at])
        at++;
    size_t size = (size_t)(at - name);
    Value value = {at, at};
    while (at < end && is_html_space(*at))
        at++;
    if (at < end && *at == '=' && !(at = read_value(at + 1, end, &value)))
        return NULL;
    Value *wanted = value_of(tag, name, size);
    if (wanted != NULL && wanted->at == NULL)
        *wanted = value; /* Of two attributes of a name the first one counts. */
    return at;
}

Place read_tag(Place at, Place end, Markup *tag)
{
    *tag = (Markup){.name = at, .is_end = at[-1] == '/'};
    while (at < end && !ENDS_NAME[*at])
        at++;
    tag->name_size = (size_t)(at - tag->name);
    for (int count = 0; at < end && count < MOST_ATTRIBUTES;) {
        if (*at == '>')
            return at + 1;
        if (*at == '/' && at + 1 < end && at[1] == '>') {
            tag->is_self_closing = true;
            return at + 2;
        }
        if (*at == '/' || is_html_space(*at)) {
            at++;
            continue;
        }
        tag->has_attributes = true;
        count++;
        if (!(at = read_attribute(at, end, tag)))
            return NULL;
    }
    return NULL;
}

static Place behind(Place at, Place end, uint8_t byte)
{
    Place found = at < end ? memchr(at, byte, (size_t)(end - at)) : NULL;
    return found == NULL ? NULL : found + 1;
}

Place read_comment(Place at, Place end)
{
    if (end - at < 4 || memcmp(at, "<!--", 4) != 0)
        return behind(at, end, '>');
    at += 4;
    if (at < end && *at == '>')
        return at + 1;
    if (end - at > 1 && at[0] == '-' && at[1] == '>')
        return at + 2;
    while ((at = behind(at, end, '-'))) {
        if (at == end || *at != '-')
            continue;
        while (at < end && *at == '-')
            at++;
        if (end - at > 0 && *at == '>')
            return at + 1;
        if (end - at > 1 && at[0] == '!' && at[1] == '>')
            return at + 2;
    }
    return NULL;
}

static bool begins_with(Place at, Place end, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(end - at) >= size && same_folded(at, word, size);
}

/* Whether a tag of this name stands here. */
static bool is_tag(Place at, Place end, const char *tag)
{
    size_t size = strlen(tag);
    return (size_t)(end - at) > size && same_folded(at, tag, size) && ENDS_NAME[at[size]];
}

/* Return where a script ends. In what looks like a comment another script may begin, whose end is not this one's. */
static Place find_script_end(Place at, Place end)
{
    enum { OUTSIDE, IN_COMMENT, IN_SCRIPT_IN_COMMENT } where = OUTSIDE;
    for (; at < end; at++) {
        if (where == OUTSIDE && !(at = memchr(at, '<', (size_t)(end - at))))
            return NULL;
        if (where != OUTSIDE && *at == '-' && begins_with(at, end, "-->"))
            where = OUTSIDE;
        if (*at != '<')
            continue;
        if (where != IN_SCRIPT_IN_COMMENT && is_tag(at, end, "</script"))
            return at;
        if (where == OUTSIDE && begins_with(at, end, "<!--")) {
            where = IN_COMMENT;
            at++; /* The same dashes may begin and end it. */
        } else if (where == IN_COMMENT && is_tag(at, end, "<script")) {
            where = IN_SCRIPT_IN_COMMENT;
        } else if (where == IN_SCRIPT_IN_COMMENT && is_tag(at, end, "</script")) {
            where = IN_COMMENT;
        }
    }
    return NULL;
}

Place find_raw_end(Place start, Place end, const char *name)
{
    if (strcmp(name, "script") == 0)
        return find_script_end(start, end);
    size_t size = strlen(name);
    for (Place at = start; (at = behind(at, end, '<'));) {
        bool is_end = (size_t)(end - at) > size + 1 && *at == '/' && same_folded(at + 1, name, size);
        if (is_end && ENDS_NAME[at[1 + size]])
            return at - 1;
    }
    return NULL;
}
