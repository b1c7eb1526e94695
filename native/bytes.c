/* Bytes that grow, and how names are compared. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

bool bytes_make_room(Bytes *bytes, size_t more)
{
    if (more <= bytes->room - bytes->size)
        return true;
    if (more > SIZE_MAX / 4 - bytes->size)
        return false;
    size_t room = 2 * (bytes->size + more) + 256;
    uint8_t *data = realloc(bytes->data, room);
    if (data == NULL)
        return false;
    bytes->data = data;
    bytes->room = room;
    return true;
}

bool bytes_add(Bytes *bytes, const uint8_t *data, size_t size)
{
    if (!bytes_make_room(bytes, size))
        return false;
    if (size > 0)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return true;
}

bool bytes_add_one(Bytes *bytes, uint8_t byte)
{
    return bytes_add(bytes, &byte, 1);
}

void bytes_free(Bytes *bytes)
{
    free(bytes->data);
    *bytes = (Bytes){0};
}

static uint8_t lower(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

bool same_folded(Place data, const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (lower(data[i]) != (uint8_t)name[i])
            return false;
    return true;
}

uint64_t folded_hash(Place data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ lower(data[i])) * 0x100000001b3u;
    return hash;
}
