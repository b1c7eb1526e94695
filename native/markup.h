/* Tags as they are written. */
#ifndef WEBSTRATA_MARKUP_H
#define WEBSTRATA_MARKUP_H

#include "tags.h"

/* An attribute's value as it is written: its references are still to be decoded. */
typedef struct {
    Place at, end; /* NULL when the attribute is not there */
} Value;

typedef struct {
    Place name;
    size_t name_size;
    uint64_t hash;
    bool is_end, is_self_closing, has_attributes;
    Value href, src, alt, id, role, class_, lang, xml_lang;
} Markup;

/* Read the tag whose name begins here; return what is behind it, or NULL when it does not end or is beyond reason. */
Place read_tag(Place name, Place end, Markup *tag);

/* Return what is behind the comment or the like that begins here, or NULL when it does not end. */
Place read_comment(Place at, Place end);

/* Return where the end tag of a raw element begins, or NULL when there is none that is beyond doubt. */
Place find_raw_end(Place at, Place end, const char *name);

/* Whether this is all white space as HTML has it, which is less than what Unicode has. */
bool is_blank(Place at, Place end);
bool is_letter(uint8_t byte);

#endif
