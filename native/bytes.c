/* Bytes that grow: the part of it that is seldom needed. */
#include "page.h"

#include <stdlib.h>

bool bytes_grow(Bytes *bytes, size_t more)
{
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

void bytes_free(Bytes *bytes)
{
    free(bytes->data);
    *bytes = (Bytes){0};
}
