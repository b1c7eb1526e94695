/* Whether a page is one that `content/defuse.py` leaves as it is; in doubt it is not.
 *
 * Of what that looks for, long stretches without a `<` are common, in scripts, and what stands before them is looked at.
 */
#include "scanner.h"

enum { PIECE = 128, MOST_TAGS = 20000, STEP = 10000, SHORT = 4000, MOST_ATTRIBUTES = 2000, MOST_STEPS = 100000 };

static bool has_many_tags(Place at, Place end)
{
    size_t count = 0;
    /* In pieces so small that a byte counts them: compilers make short work of that. */
    while (end - at >= PIECE) {
        uint8_t here = 0;
        for (int i = 0; i < PIECE; i++)
            here += at[i] == '<';
        count += here;
        at += PIECE;
    }
    for (; at < end; at++)
        count += *at == '<';
    return count > MOST_TAGS;
}

static bool is_regex_space(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Return what is behind an attribute's value, should one stand here, else where we are. */
static Place behind_value(Place at, Place end)
{
    Place value = at;
    while (value < end && is_regex_space(*value))
        value++;
    if (value == end || (*value != '"' && *value != '\''))
        return at;
    Place quote = memchr(value + 1, *value, (size_t)(end - value - 1));
    return quote == NULL ? at : quote + 1;
}

/* Whether what may be a tag here has so many attributes that they would stall a parser. */
static bool has_many_attributes(Place tag, Place end)
{
    Place at = tag;
    size_t separators = 0, steps = 0;
    while (at < end && *at != '>') {
        if (++steps > MOST_STEPS)
            return true; /* To go on from every such place would take time with the square of a page's length. */
        if (*at == '=') {
            at = behind_value(at + 1, end);
            separators++;
            continue;
        }
        separators += is_regex_space(*at) || *at == '/';
        at++;
    }
    return at - tag > SHORT && separators > MOST_ATTRIBUTES;
}

static Place last_bracket(Place source, Place before)
{
    while (before > source)
        if (*--before == '<')
            return before;
    return NULL;
}

bool is_harmless(Place source, Place end)
{
    if (has_many_tags(source, end))
        return false;
    for (Place at = source; end - at > STEP; at += STEP) {
        if (memchr(at, '<', STEP) != NULL)
            continue;
        Place begin = last_bracket(source, at);
        if (begin != NULL && has_many_attributes(begin, end))
            return false;
        if (!(at = memchr(at + STEP, '<', (size_t)(end - at - STEP))))
            return true;
    }
    return true;
}
