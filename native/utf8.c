/* Whether bytes are UTF-8, as the Unicode standard's table of well-formed sequences has it. */
#include "page.h"

static bool is_between(uint8_t byte, uint8_t low, uint8_t high)
{
    return byte >= low && byte <= high;
}

/* Return how long the character here is that is not ASCII, or 0 when it is none. */
static size_t character_at(Place at, size_t left)
{
    uint8_t lead = at[0];
    if (is_between(lead, 0xc2, 0xdf))
        return left > 1 && is_between(at[1], 0x80, 0xbf) ? 2 : 0;
    if (is_between(lead, 0xe0, 0xef)) {
        uint8_t low = lead == 0xe0 ? 0xa0 : 0x80, high = lead == 0xed ? 0x9f : 0xbf;
        return left > 2 && is_between(at[1], low, high) && is_between(at[2], 0x80, 0xbf) ? 3 : 0;
    }
    if (!is_between(lead, 0xf0, 0xf4) || left < 4)
        return 0;
    uint8_t low = lead == 0xf0 ? 0x90 : 0x80, high = lead == 0xf4 ? 0x8f : 0xbf;
    bool is_good = is_between(at[1], low, high) && is_between(at[2], 0x80, 0xbf) && is_between(at[3], 0x80, 0xbf);
    return is_good ? 4 : 0;
}

/* Return what is behind the ASCII here, eight bytes at a time. */
static Place behind_ascii(Place at, Place end)
{
    for (uint64_t eight; end - at >= 8; at += 8) {
        memcpy(&eight, at, sizeof eight);
        if (eight & 0x8080808080808080u)
            break;
    }
    while (at < end && *at < 0x80)
        at++;
    return at;
}

EXPORTED bool text_is_utf8(Place at, size_t size)
{
    Place end = at + size;
    while ((at = behind_ascii(at, end)) < end) {
        size_t length = character_at(at, (size_t)(end - at));
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}
