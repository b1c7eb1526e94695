/* The state of a scan, shared by the files that make it up. */
#ifndef WEBSTRATA_SCANNER_H
#define WEBSTRATA_SCANNER_H

#include "markup.h"

enum { MOST_OPEN = 500, TAG_SLOTS = 512, MOST_WORDS = 64 };

/* Where in a page some text stands, and what places there are: the numbers of `content/layout.py`. */
enum { ANYWHERE, CONTENT, AROUND, PAGE_HEADER };
enum { NO_PLACE, NAVIGATION, HEADER, EDGE, ARTICLE, MAIN, ALERT };

/* How an element is laid out. */
typedef struct {
    uint8_t kind, place;
    bool is_block, is_unseen;
} Layout;

typedef struct {
    TagRules rules;
    Layout layout;
    uint64_t hash;
    size_t size; /* of its name */
} Tag;

/* An element that is open. */
typedef struct {
    const Tag *tag;
    uint64_t hash;
    uint8_t kind, spot; /* What a text is outside of it, when it is a block. */
    bool ends_line;
} Open;

typedef struct {
    char word[40];
    size_t size;
    uint8_t place;
} Word;

typedef struct {
    Word words[MOST_WORDS];
    size_t count;
} Words;

typedef enum { NO_FORM, FORM_IS_OPEN, FORM_IS_EMPTY } Form;

typedef struct Scanner {
    /* What pages have in common. */
    Tag tags[TAG_COUNT];
    const Tag *slots[TAG_SLOTS];
    Tag stranger;
    References references;
    Words roles, ids, consent_words, consent_tools;
    uint8_t boilerplate[256];
    /* What was found. */
    Lines lines;
    Bytes title, language, links, base, scratch;
    bool has_title, has_base;
    /* Where we are. */
    Open open[MOST_OPEN];
    size_t depth;
    size_t skipped;    /* How many elements are open down to the one whose text is not seen, 0 when all is. */
    size_t foreign;    /* The same for the outermost SVG. */
    size_t templates, svg_in_templates, selects;
    size_t ghosts;     /* Formatting elements that ended with their block: a parser would open them again. */
    uint64_t ghost_names; /* A bit for each of their names: what was never left sets none. */
    bool has_space;    /* Whether what is not seen holds a text of nothing but white space. */
    enum { NO_TEXT, BLANK_TEXT, FILLED_TEXT } unseen; /* What the text that is not seen, and may go on, is so far. */
    bool was_ignored;  /* Whether the last tag meant nothing: the texts beside it are one. */
    bool formats_in_templates; /* Whether a formatting element began in one. */
    bool has_begun; /* Whether there was more than white space and comments. */
    bool in_body, is_behind_head, is_standard, has_html, has_button;
    Form form;
    uint8_t kind, spot;
} Scanner;

/* known.c */
/* Return what is known of a tag by its name; the hash of one that is not known is made unlike all that are. */
const Tag *tag_of(const Scanner *s, Markup *markup);
const Tag *known_tag(const Scanner *s, const char *name);

/* layout.c */
bool end_line(Scanner *s);
bool add_text(Scanner *s, const char *text, size_t size);
void enter_block(Scanner *s, Layout layout, uint8_t place);
bool decode(Scanner *s, Value value, Bytes *to);
/* Tell the place that a block is by what its attributes say; false when only the other way can tell. */
bool stated_place(Scanner *s, const Markup *markup, const Tag *tag, uint8_t *place);

/* open.c */
static inline const Open *top(const Scanner *s)
{
    return s->depth > 0 ? &s->open[s->depth - 1] : NULL;
}

static inline bool top_is(const Scanner *s, TagName name)
{
    return s->depth > 0 && s->open[s->depth - 1].tag->rules.name == name;
}

static inline bool has_rule(const Open *open, uint16_t rule)
{
    return (open->tag->rules.rules & rule) != 0;
}

bool any_matters(const Scanner *s, size_t from);
/* Whether the text of what is passed over would make a space between what is before and behind it. */
bool makes_space(const Tag *tag);
void end_unseen_text(Scanner *s);
bool pop(Scanner *s);
/* Close all down to a place among the open ones, and that one. */
bool pop_until(Scanner *s, size_t index);
bool push(Scanner *s, const Tag *tag, uint64_t hash, const Markup *markup);
enum { NOWHERE = -1 };
/* Return which open element of this name an end tag here would reach, or NOWHERE. */
long find_open(const Scanner *s, uint64_t hash);
/* The same where it does not reach beyond some more elements. */
long find_in_scope(const Scanner *s, uint64_t hash, TagName beyond, TagName beyond_too);
long find_paragraph(const Scanner *s);
bool close_paragraph(Scanner *s);
/* Pass over a tag that means nothing. */
bool ignore(Scanner *s);
bool close_in_scope(Scanner *s, long found);
bool close_ordinary(Scanner *s, uint64_t hash);
bool close_formatting(Scanner *s, uint64_t hash);

/* tables.c */
bool is_in_table(const Scanner *s);
bool start_part_of_table(Scanner *s, const Tag *tag, const Markup *markup);
bool end_in_table(Scanner *s, uint64_t hash);
bool start_form(Scanner *s, const Tag *tag, const Markup *markup);
bool ends_by_itself(const Open *open);
bool end_form(Scanner *s, uint64_t hash);

/* body.c */
bool note_language(Scanner *s, const Markup *markup);
bool note(Scanner *s, const Tag *tag, const Markup *markup);
bool start_in_body(Scanner *s, const Tag *tag, const Markup *markup);
bool end_in_body(Scanner *s, const Tag *tag, uint64_t hash);

/* raw.c */
/* Return what is behind the end of a line, should one stand here: right behind some tags it does not count. */
Place behind_line_end(Place at, Place end);
bool take_raw(Scanner *s, const Tag *tag, const Markup *markup, Place at, Place end);

#endif
