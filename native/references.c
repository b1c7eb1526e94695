/* Character references: `&eacute;`, `&#233;`, `&#xe9;`. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 8192, MOST_NAMES = 4096, LONGEST_NAME = 40 };

struct Reference {
    uint64_t hash;
    uint32_t name, value; /* Where they begin among the names; each ends with a zero. */
    uint8_t name_size, value_size;
};

/* What the numbers of windows-1252 stand for: pages mean those when they name them. */
static const uint16_t WINDOWS[32] = {
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d, 0x8f,
    0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178,
};

/* References, unlike tags, tell capitals from small letters. */
static uint64_t hash_on(uint64_t hash, uint8_t byte)
{
    return (hash ^ byte) * 0x100000001b3u;
}

static const uint64_t HASH_OF_NOTHING = 0xcbf29ce484222325u;

static struct Reference *slot_of(const References *references, uint64_t hash, const uint8_t *name, size_t size)
{
    for (size_t i = hash % SLOTS;; i = (i + 1) % SLOTS) {
        struct Reference *slot = &references->slots[i];
        if (slot->name_size == 0)
            return slot;
        if (slot->hash == hash && slot->name_size == size && !memcmp(references->names.data + slot->name, name, size))
            return slot;
    }
}

bool references_add(References *references, const char *name, const char *value)
{
    size_t name_size = strlen(name), value_size = strlen(value);
    if (name_size == 0 || name_size > LONGEST_NAME || value_size > 255 || references->count >= MOST_NAMES)
        return false;
    if (references->slots == NULL && !(references->slots = calloc(SLOTS, sizeof *references->slots)))
        return false;
    uint64_t hash = HASH_OF_NOTHING;
    for (size_t i = 0; i < name_size; i++)
        hash = hash_on(hash, (uint8_t)name[i]);
    struct Reference *slot = slot_of(references, hash, (const uint8_t *)name, name_size);
    Bytes *names = &references->names;
    uint32_t name_at = (uint32_t)names->size, value_at = (uint32_t)(names->size + name_size);
    if (!bytes_add(names, (const uint8_t *)name, name_size) || !bytes_add(names, (const uint8_t *)value, value_size))
        return false;
    *slot = (struct Reference){hash, name_at, value_at, (uint8_t)name_size, (uint8_t)value_size};
    references->count++;
    return true;
}

void references_free(References *references)
{
    free(references->slots);
    bytes_free(&references->names);
    *references = (References){0};
}

static bool is_alphanumeric(uint8_t c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool add_character(Bytes *to, uint32_t c)
{
    uint8_t utf8[4];
    if (c < 0x80)
        return bytes_add_one(to, (uint8_t)c);
    if (c < 0x800) {
        utf8[0] = (uint8_t)(0xc0 | c >> 6);
        utf8[1] = (uint8_t)(0x80 | (c & 0x3f));
        return bytes_add(to, utf8, 2);
    }
    if (c < 0x10000) {
        utf8[0] = (uint8_t)(0xe0 | c >> 12);
        utf8[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        utf8[2] = (uint8_t)(0x80 | (c & 0x3f));
        return bytes_add(to, utf8, 3);
    }
    utf8[0] = (uint8_t)(0xf0 | c >> 18);
    utf8[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
    utf8[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    utf8[3] = (uint8_t)(0x80 | (c & 0x3f));
    return bytes_add(to, utf8, 4);
}

static uint32_t meant_by_number(uint32_t c)
{
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0xfffd;
    return c >= 0x80 && c <= 0x9f ? WINDOWS[c - 0x80] : c;
}

static int digit_of(uint8_t c, uint32_t base)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Return what is behind a number, or NULL when there is none. */
static Place decode_number(Place at, Place end, Bytes *to)
{
    uint32_t base = 10, c = 0;
    if (at < end && (*at | 0x20) == 'x') {
        base = 16;
        at++;
    }
    Place first = at;
    for (int digit; at < end && (digit = digit_of(*at, base)) >= 0; at++)
        c = c > 0x10ffff ? c : c * base + (uint32_t)digit;
    if (at == first || !add_character(to, meant_by_number(c)))
        return NULL;
    return at < end && *at == ';' ? at + 1 : at;
}

/* Return what is behind the longest name that stands here, or NULL when none does. */
static Place decode_name(const References *references, Place at, Place end, Where where, Bytes *to)
{
    uint64_t hashes[LONGEST_NAME + 1], hash = HASH_OF_NOTHING;
    size_t size = 0;
    while (size < LONGEST_NAME && at + size < end && is_alphanumeric(at[size])) {
        hash = hash_on(hash, at[size]);
        hashes[++size] = hash;
    }
    if (size > 0 && size < LONGEST_NAME && at + size < end && at[size] == ';') {
        hash = hash_on(hash, ';');
        hashes[++size] = hash;
    }
    for (; size > 0; size--) {
        const struct Reference *found = slot_of(references, hashes[size], at, size);
        if (found->name_size == 0)
            continue;
        Place behind = at + size;
        bool is_open = behind[-1] != ';' && behind < end && (*behind == '=' || is_alphanumeric(*behind));
        if (where == IN_ATTRIBUTE && is_open)
            return NULL;
        return bytes_add(to, references->names.data + found->value, found->value_size) ? behind : NULL;
    }
    return NULL;
}

Place references_decode(const References *references, Place at, Place end, Where where, Bytes *to)
{
    Place behind = NULL;
    if (at + 1 < end)
        behind = at[1] == '#' ? decode_number(at + 2, end, to) : decode_name(references, at + 1, end, where, to);
    if (behind != NULL)
        return behind;
    bytes_add_one(to, '&');
    return at + 1;
}

bool references_decode_all(const References *references, Place at, Place end, Where where, Bytes *to)
{
    /* No reference stands for twice its length: with so much room, nothing below can fail for want of it. */
    if (!bytes_make_room(to, 2 * (size_t)(end - at)))
        return false;
    while (at < end) {
        Place reference = memchr(at, '&', (size_t)(end - at));
        if (!bytes_add(to, at, (size_t)((reference ? reference : end) - at)))
            return false;
        if (reference == NULL)
            return true;
        at = references_decode(references, reference, end, where, to);
    }
    return true;
}
