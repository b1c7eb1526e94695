/* What a text is: by the blocks around it, and by what their attributes say of their place. */
#include "scanner.h"

#include <string.h>

static uint8_t letter(const Scanner *s)
{
    bool is_main = s->spot != AROUND && (s->spot != PAGE_HEADER || s->kind == '1');
    return is_main ? s->kind : s->boilerplate[s->kind];
}

static bool is_code(const Scanner *s)
{
    return s->kind == 'c';
}

bool end_line(Scanner *s)
{
    return s->skipped > 0 || lines_end(&s->lines, letter(s), is_code(s));
}

bool add_text(Scanner *s, const char *text, size_t size)
{
    return s->skipped > 0 || lines_add(&s->lines, (Place)text, (Place)text + size, is_code(s));
}

static uint8_t spot_in(uint8_t around, uint8_t place)
{
    if (place == NAVIGATION)
        return AROUND;
    if (place == MAIN || place == ALERT)
        return CONTENT;
    if (around != ANYWHERE)
        return around;
    return place == HEADER ? PAGE_HEADER : place == EDGE ? AROUND : CONTENT;
}

void enter_block(Scanner *s, Layout layout, uint8_t place)
{
    bool goes_on = layout.kind == 0 || (layout.kind == 'p' && (s->kind == 'l' || s->kind == 'q'));
    if (!goes_on)
        s->kind = layout.kind;
    if (place != NO_PLACE)
        s->spot = spot_in(s->spot, place);
}

bool decode(Scanner *s, Value value, Bytes *to)
{
    to->size = 0;
    return value.at == NULL || references_decode_all(&s->references, value.at, value.end, IN_ATTRIBUTE, to);
}

/* Decode a name in small letters; false when it is beyond ASCII, where small letters are not ours to tell. */
static bool decode_folded(Scanner *s, Value value)
{
    if (!decode(s, value, &s->scratch))
        return false;
    for (size_t i = 0; i < s->scratch.size; i++) {
        uint8_t *byte = &s->scratch.data[i];
        if (*byte >= 0x80)
            return false;
        if (*byte >= 'A' && *byte <= 'Z')
            *byte |= 0x20;
    }
    return true;
}

static uint8_t place_of(const Words *words, Place name, size_t size)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->words[i].size == size && memcmp(words->words[i].word, name, size) == 0)
            return words->words[i].place;
    return NO_PLACE;
}

static bool begins_with_any(const Words *words, Place at, Place end)
{
    for (size_t i = 0; i < words->count; i++)
        if ((size_t)(end - at) >= words->words[i].size && memcmp(words->words[i].word, at, words->words[i].size) == 0)
            return true;
    return false;
}

static bool asks_for_consent(const Scanner *s, Place at, Place end)
{
    static const char COOKIE[] = "cookie";
    const size_t size = sizeof COOKIE - 1;
    for (; (size_t)(end - at) >= size; at++) {
        if (memcmp(at, COOKIE, size) != 0)
            continue;
        Place behind = at + size;
        bool is_joined = behind < end && (*behind == '-' || *behind == '_');
        if (begins_with_any(&s->consent_words, behind, end))
            return true;
        if (is_joined && begins_with_any(&s->consent_words, behind + 1, end))
            return true;
    }
    return false;
}

static bool stated_by_id(Scanner *s, Value id, uint8_t *place)
{
    if (!decode_folded(s, id))
        return false;
    Place at = s->scratch.data, end = at + s->scratch.size;
    bool is_consent = at != end && (begins_with_any(&s->consent_tools, at, end) || asks_for_consent(s, at, end));
    *place = is_consent ? NAVIGATION : place_of(&s->ids, at, s->scratch.size);
    return true;
}

static bool stated_by_role(Scanner *s, Value role, uint8_t *place)
{
    if (!decode_folded(s, role))
        return false;
    Place at = s->scratch.data, end = at + s->scratch.size;
    while (at < end && space_at(at, end))
        at++;
    while (at < end && space_at(end - 1, end))
        end--;
    *place = place_of(&s->roles, at, (size_t)(end - at));
    return true;
}

/* Whether a value may say "cookie", be it with a reference or with the Kelvin sign, whose small letter is a k. */
static bool may_mention_cookies(Value value)
{
    for (Place at = value.at; at < value.end; at++)
        if (*at == '&' || *at == 0xe2 || ((*at | 0x20) == 'c' && value.end - at >= 6 && same_folded(at, "cookie", 6)))
            return true;
    return false;
}

static bool stated_by_class(Scanner *s, Value names, uint8_t *place)
{
    if (!may_mention_cookies(names))
        return true;
    if (!decode_folded(s, names))
        return false;
    if (asks_for_consent(s, s->scratch.data, s->scratch.data + s->scratch.size))
        *place = NAVIGATION;
    return true;
}

bool stated_place(Scanner *s, const Markup *markup, const Tag *tag, uint8_t *place)
{
    *place = NO_PLACE;
    if (markup->class_.at != NULL && !stated_by_class(s, markup->class_, place))
        return false;
    if (*place != NO_PLACE)
        return true;
    if (markup->id.at != NULL && tag->rules.name == DIV && !stated_by_id(s, markup->id, place))
        return false;
    return *place != NO_PLACE || markup->role.at == NULL || stated_by_role(s, markup->role, place);
}
