/* Text as it comes, line by line: the same as `content/blocks.py` makes of it. */
#include "page.h"

#include <string.h>

/* What a byte is: white space, the beginning of what may be some or a soft hyphen, or something else. */
enum { ORDINARY, SPACE, SPECIAL };

static const uint8_t KINDS[256] = {
    ['\t'] = SPACE, ['\n'] = SPACE, ['\v'] = SPACE, ['\f'] = SPACE, ['\r'] = SPACE, [' '] = SPACE,
    [0x1c] = SPACE, [0x1d] = SPACE, [0x1e] = SPACE, [0x1f] = SPACE,
    [0xc2] = SPECIAL, [0xe1] = SPECIAL, [0xe2] = SPECIAL, [0xe3] = SPECIAL,
};

static size_t special_space_at(Place at, Place end)
{
    size_t left = (size_t)(end - at);
    if (at[0] == 0xc2)
        return left > 1 && (at[1] == 0x85 || at[1] == 0xa0) ? 2 : 0;
    if (left < 3)
        return 0;
    if (at[0] == 0xe1)
        return at[1] == 0x9a && at[2] == 0x80 ? 3 : 0;
    if (at[0] == 0xe3)
        return at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
    if (at[0] == 0xe2 && at[1] == 0x80)
        return at[2] <= 0x8a || at[2] == 0xa8 || at[2] == 0xa9 || at[2] == 0xaf ? 3 : 0;
    return at[0] == 0xe2 && at[1] == 0x81 && at[2] == 0x9f ? 3 : 0;
}

size_t space_at(Place at, Place end)
{
    int kind = KINDS[*at];
    return kind == SPACE ? 1 : kind == SPECIAL ? special_space_at(at, end) : 0;
}

bool is_space(Place at, Place end)
{
    if (at == end)
        return false;
    while (at < end) {
        size_t size = space_at(at, end);
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

static bool is_soft_hyphen(Place at, Place end)
{
    return end - at > 1 && at[0] == 0xc2 && at[1] == 0xad;
}

void lines_free(Lines *lines)
{
    bytes_free(&lines->text);
    bytes_free(&lines->letters);
    bytes_free(&lines->code);
}

/* Return where white space, a soft hyphen or the end follows. */
static Place end_of_word(Place at, Place end)
{
    for (; at < end; at++) {
        int kind = KINDS[*at];
        if (kind == SPACE || (kind == SPECIAL && (special_space_at(at, end) || is_soft_hyphen(at, end))))
            return at;
    }
    return end;
}

static bool add_word(Lines *lines, Place at, Place end)
{
    bool wants_space = lines->space_is_due && lines->has_begun;
    bool begins_line = !lines->has_begun && lines->letters.size > 0;
    if ((wants_space && !bytes_add_one(&lines->text, ' ')) || (begins_line && !bytes_add_one(&lines->text, '\n')))
        return false;
    lines->has_begun = true;
    lines->space_is_due = false;
    return bytes_add(&lines->text, at, (size_t)(end - at));
}

bool lines_add(Lines *lines, Place at, Place end, bool is_code)
{
    if (is_code)
        return bytes_add(&lines->code, at, (size_t)(end - at));
    while (at < end) {
        size_t space = space_at(at, end);
        if (space > 0) {
            lines->space_is_due = true;
            at += space;
        } else if (is_soft_hyphen(at, end)) {
            at += 2;
        } else {
            Place word = at;
            at = end_of_word(at, end);
            if (!add_word(lines, word, at))
                return false;
        }
    }
    return true;
}

/* How many bytes the end of a line takes here, as Python's str.splitlines() has it; 0 when none is here. */
static size_t line_end_at(Place at, Place end)
{
    if (*at == '\r')
        return end - at > 1 && at[1] == '\n' ? 2 : 1;
    if ((*at >= '\n' && *at <= '\f') || (*at >= 0x1c && *at <= 0x1e))
        return 1;
    if (*at == 0xc2)
        return end - at > 1 && at[1] == 0x85 ? 2 : 0;
    bool may_be_separator = *at == 0xe2 && end - at > 2 && at[1] == 0x80;
    return may_be_separator && (at[2] == 0xa8 || at[2] == 0xa9) ? 3 : 0;
}

/* Add a line of code without its soft hyphens and without the white space behind it, unless nothing is left. */
static bool add_code_line(Lines *lines, Place at, Place end, uint8_t letter)
{
    size_t before = lines->text.size, kept = 0;
    bool begins_line = lines->letters.size > 0;
    if (begins_line && !bytes_add_one(&lines->text, '\n'))
        return false;
    while (at < end) {
        size_t space = space_at(at, end), size = space ? space : 1;
        if (is_soft_hyphen(at, end)) {
            at += 2;
            continue;
        }
        if (!bytes_add(&lines->text, at, size))
            return false;
        at += size;
        if (space == 0)
            kept = lines->text.size;
    }
    lines->text.size = kept ? kept : before;
    return kept == 0 || bytes_add_one(&lines->letters, letter);
}

static bool end_code(Lines *lines, uint8_t letter)
{
    Place at = lines->code.data, end = at + lines->code.size;
    bool is_blank = lines->code.size == 0 || is_space(at, end);
    lines->code.size = 0;
    if (is_blank)
        return true;
    while (at < end) {
        Place line = at;
        size_t size = 0;
        while (at < end && !(size = line_end_at(at, end)))
            at++;
        if (!add_code_line(lines, line, at, letter))
            return false;
        at += size;
    }
    return true;
}

bool lines_end(Lines *lines, uint8_t letter, bool is_code)
{
    if (is_code)
        return end_code(lines, letter);
    bool ends_line = lines->has_begun;
    lines->has_begun = lines->space_is_due = false;
    return !ends_line || bytes_add_one(&lines->letters, letter);
}
