/* What one pass over the source of a page yields: its text by lines, its title, its language and where it leads.
 *
 * This is the quick way for pages that are written as most are. `content/html.py` has a whole HTML parser for the others:
 * whatever a parser would have to repair by moving things about is refused here, never guessed at, so that both ways say
 * the same of every page. Nothing here is trusted: every read is bounded by the end of the source, every write by the
 * room that was made for it, and a page takes time in proportion to its length.
 */
#ifndef WEBSTRATA_PAGE_H
#define WEBSTRATA_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

typedef const uint8_t *Place; /* in the source, or at its end */

/* Bytes that grow. */
typedef struct {
    uint8_t *data;
    size_t size, room;
} Bytes;

bool bytes_grow(Bytes *bytes, size_t more);
void bytes_free(Bytes *bytes);

static inline bool bytes_make_room(Bytes *bytes, size_t more)
{
    return more <= bytes->room - bytes->size || bytes_grow(bytes, more);
}

static inline bool bytes_add(Bytes *bytes, const uint8_t *data, size_t size)
{
    if (!bytes_make_room(bytes, size))
        return false;
    if (size > 0)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return true;
}

static inline bool bytes_add_one(Bytes *bytes, uint8_t byte)
{
    return bytes_add(bytes, &byte, 1);
}

static inline uint8_t folded(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

/* Whether some bytes are a name, which is in small letters, but for capitals. */
static inline bool same_folded(Place data, const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (folded(data[i]) != (uint8_t)name[i])
            return false;
    return true;
}

/* Return the hash of a tag's name; the last bit is left for telling names that are not known. */
static inline uint64_t known_hash(Place data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ folded(data[i])) * 0x100000001b3u;
    return hash & ~(uint64_t)1;
}

/* Named character references, all that there are, as they were handed over. */
typedef struct {
    struct Reference *slots;
    size_t count;
    Bytes names;
} References;

typedef enum { IN_TEXT, IN_ATTRIBUTE } Where;

bool references_add(References *references, const char *name, const char *value);
void references_free(References *references);
/* Add what a reference at `&` stands for and return what is behind it; what is none is added as it is. */
Place references_decode(const References *references, Place at, Place end, Where where, Bytes *to);
bool references_decode_all(const References *references, Place at, Place end, Where where, Bytes *to);

/* Text as it comes, line by line: white space is one space, blank lines are none, code keeps its lines. */
typedef struct {
    Bytes text, letters;
    Bytes code;            /* The line that is being made, as it was written, when it is code. */
    bool has_begun;        /* Whether the line that is being made has something in it. */
    bool space_is_due;
} Lines;

void lines_free(Lines *lines);
bool lines_add(Lines *lines, Place at, Place end, bool is_code);
bool lines_end(Lines *lines, uint8_t letter, bool is_code);

/* How many bytes the white space here takes, as Python's str.isspace() has it; 0 when it is something else. */
size_t space_at(Place at, Place end);
bool is_space(Place at, Place end);

#endif
