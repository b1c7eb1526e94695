/* A text with each character folded, as `content/tokens.py` says of one after the other. */
#include "page.h"

/* What characters become: where in a pool that stands, its length before it; 0 for those that nobody has asked for yet. */
typedef struct {
    const uint32_t *places;
    size_t place_count;
    const uint8_t *pool;
    size_t pool_size;
} Folding;

/* Read the character here, of a text that is UTF-8, and return its length. */
static size_t read_character(Place at, Place end, uint32_t *character)
{
    static const uint8_t LENGTHS[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4};
    size_t length = LENGTHS[*at >> 4];
    if (length == 1 || (size_t)(end - at) < length) {
        *character = *at;
        return 1;
    }
    *character = *at & (0x7f >> length);
    for (size_t i = 1; i < length; i++)
        *character = *character << 6 | (at[i] & 0x3f);
    return length;
}

/* Return what a character becomes, its length before it, or NULL when that is not known. */
static const uint8_t *folded_to(const Folding *folding, uint32_t character)
{
    size_t place = character < folding->place_count ? folding->places[character] : 0;
    if (place == 0 || place >= folding->pool_size || folding->pool[place] >= folding->pool_size - place)
        return NULL;
    return folding->pool + place;
}

/* Fold a text as far as its characters are known and there is room; return how much was written, and set how much read. */
EXPORTED size_t text_fold(Place text, size_t size, const Folding *folding, uint8_t *to, size_t room, size_t *read)
{
    Place at = text, end = text + size;
    uint8_t *writing = to;
    while (at < end) {
        uint32_t character;
        size_t length = read_character(at, end, &character);
        const uint8_t *becomes = folded_to(folding, character);
        if (becomes == NULL || (size_t)(to + room - writing) < *becomes)
            break;
        memcpy(writing, becomes + 1, *becomes);
        writing += *becomes;
        at += length;
    }
    *read = (size_t)(at - text);
    return (size_t)(writing - to);
}
