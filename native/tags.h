/* The elements that HTML's rules, or how a page is laid out, treat in a way of their own. */
#ifndef WEBSTRATA_TAGS_H
#define WEBSTRATA_TAGS_H

#include "page.h"

/* What HTML's rules say of an element. */
enum {
    BLOCK = 1,            /* Its start ends a paragraph, its end ends whatever is open in it. */
    IS_SPECIAL = 2,       /* The end of an ordinary element does not reach beyond it. */
    FORMATTING = 4,       /* Goes on in the next block when the one it began in ends. */
    EMPTY = 8,
    SCOPE = 16,           /* Ends inside it do not reach what is open outside. */
    RAW = 32,             /* What is in it is text, whatever it looks like. */
    OF_TABLE = 64,        /* A part of a table. */
    IN_HEAD = 128,        /* May stand in a page's head. */
    HEADING = 256,
    REFUSED = 512,        /* Leads to repairs that only a parser knows. */
    FOREIGN_TOO = 1024,   /* Known inside SVG as well. */
    FENCE = 2048,         /* Keeps the formatting around it out, and when it does not end, for the rest of the page. */
};

typedef enum {
    OTHER_TAG, A, BASE, BODY, BR, BUTTON, CAPTION, COL, DD, DESC, DT, FORM, FRAME, HEAD, HR, HTML, IFRAME, AREA, IMG, INPUT, LI,
    NOSCRIPT, OL, UL, OPTGROUP, OPTION, P, PRE, DIV, ADDRESS, RUBY, RUBY_PART, SCRIPT, SELECT, STYLE, SVG, TABLE, TBODY, TD,
    TEMPLATE, TEXTAREA, TITLE, TR, XMP,
} TagName;

typedef struct {
    const char *spelling;
    TagName name;
    uint16_t rules;
} TagRules;

enum { TAG_COUNT = 121 };

extern const TagRules TAG_RULES[TAG_COUNT];

#endif
