/* The fingerprint of a text: what most of its runs of three words have in common, bit by bit, as in
 * `content/fingerprint.py`. */
#include "page.h"

enum { PLANES = 15, SECOND = 23, THIRD = 46 };

typedef uint64_t Hash(const void *data, size_t size);

static bool is_space_of_bytes(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static uint64_t turned(uint64_t bits, int by)
{
    return bits << by | bits >> (64 - by);
}

/* Count a one for each bit that is set: the counters are written one below the other, a binary digit a plane. */
static void count(uint64_t planes[PLANES], uint64_t bits)
{
    for (int i = 0; i < PLANES && bits != 0; i++) {
        uint64_t carried = planes[i] & bits;
        planes[i] ^= bits;
        bits = carried;
    }
}

static uint64_t counted_more_than(const uint64_t planes[PLANES], size_t half)
{
    uint64_t more = 0, as_many = UINT64_MAX;
    for (int i = PLANES - 1; i >= 0; i--) {
        if (half >> i & 1) {
            as_many &= planes[i];
        } else {
            more |= as_many & planes[i];
            as_many &= ~planes[i];
        }
    }
    return more;
}

/* Set the bits that most runs of three words share and return how many words there are, `most` at the most. */
EXPORTED size_t text_fingerprint(Place at, size_t size, size_t most, Hash *hash, uint64_t *bits)
{
    Place end = at + size;
    uint64_t planes[PLANES] = {0}, first = 0, second = 0;
    size_t words = 0;
    while (words < most) {
        while (at < end && is_space_of_bytes(*at))
            at++;
        Place word = at;
        while (at < end && !is_space_of_bytes(*at))
            at++;
        if (word == at)
            break;
        uint64_t third = __builtin_bswap64(hash(word, (size_t)(at - word)));
        if (++words > 2)
            count(planes, first ^ turned(second, SECOND) ^ turned(third, THIRD));
        first = second;
        second = third;
    }
    *bits = words > 2 ? counted_more_than(planes, (words - 2) / 2) : 0;
    return words;
}
