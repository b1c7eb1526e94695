/* The elements that are open, and which of them an end tag closes. */
#include "scanner.h"

#include <string.h>

/* A parser moves a formatting element into so many blocks, and two more, before it gives up. */
enum { MOST_ADOPTED = 6 };

/* Whether an ordinary element is none that could be left out: it is a block, or its text is not seen. */
static bool matters(const Open *open)
{
    Layout layout = open->tag->layout;
    return !has_rule(open, IS_SPECIAL) && (layout.is_block || layout.is_unseen);
}

bool any_matters(const Scanner *s, size_t from)
{
    for (size_t i = from; i < s->depth; i++)
        if (matters(&s->open[i]))
            return true;
    return false;
}

bool makes_space(const Tag *tag)
{
    return tag->rules.name != SCRIPT && tag->rules.name != STYLE;
}

void end_unseen_text(Scanner *s)
{
    s->has_space = s->has_space || s->unseen == BLANK_TEXT;
    s->unseen = NO_TEXT;
}

bool pop(Scanner *s)
{
    const Open *closed = &s->open[--s->depth];
    s->selects -= closed->tag->rules.name == SELECT;
    if (s->foreign > s->depth)
        s->foreign = 0;
    if (s->skipped > s->depth) {
        end_unseen_text(s);
        s->skipped = 0;
        return !s->has_space || !makes_space(closed->tag) || add_text(s, " ", 1);
    }
    if (s->skipped > 0 || !closed->ends_line)
        return true;
    if (!end_line(s))
        return false;
    s->kind = closed->kind;
    s->spot = closed->spot;
    return true;
}

static uint64_t name_bit(uint64_t hash)
{
    return (uint64_t)1 << (hash * 0x9e3779b97f4a7c15U >> 58);
}

static void leave_ghost(Scanner *s, uint64_t hash)
{
    s->ghosts++;
    s->ghost_names |= name_bit(hash);
}

bool pop_until(Scanner *s, size_t index)
{
    while (s->depth > index) {
        bool is_target = s->depth == index + 1;
        if (!is_target && has_rule(top(s), FORMATTING))
            leave_ghost(s, top(s)->hash);
        if (!is_target && has_rule(top(s), FENCE))
            return false;
        if (!pop(s))
            return false;
    }
    return true;
}

static bool any_heading(const Scanner *s)
{
    for (size_t i = 0; i < s->depth; i++)
        if (has_rule(&s->open[i], HEADING))
            return true;
    return false;
}

/* Whether what begins here is in a heading, or in one element in it: as a button that folds a part away is. */
static bool is_in_heading(const Scanner *s)
{
    return (s->depth > 0 && has_rule(&s->open[s->depth - 1], HEADING)) ||
           (s->depth > 1 && has_rule(&s->open[s->depth - 2], HEADING));
}

bool push(Scanner *s, const Tag *tag, uint64_t hash, const Markup *markup)
{
    if (s->depth == MOST_OPEN)
        return false;
    bool is_hidden = tag->layout.is_unseen;
    if (tag->rules.name == BUTTON) {
        if (s->ghosts > 0 && any_heading(s))
            return false;
        s->has_button = true;
        is_hidden = !is_in_heading(s);
    }
    uint8_t place = NO_PLACE;
    if (tag->layout.is_block && s->skipped == 0) {
        if (markup != NULL && !stated_place(s, markup, tag, &place))
            return false;
        if (!end_line(s))
            return false;
    }
    s->open[s->depth++] = (Open){tag, hash, s->kind, s->spot, tag->layout.is_block};
    s->selects += tag->rules.name == SELECT;
    if (s->skipped > 0)
        return true;
    if (tag->layout.is_block)
        enter_block(s, tag->layout, place ? place : tag->layout.place);
    if (is_hidden) {
        s->skipped = s->depth;
        s->has_space = false;
        s->unseen = NO_TEXT;
    }
    /* Cells that touch in the source would run together. */
    return tag->rules.name != TD || add_text(s, " ", 1);
}

long find_in_scope(const Scanner *s, uint64_t hash, TagName beyond, TagName beyond_too)
{
    for (size_t i = s->depth; i-- > 0;) {
        const Open *open = &s->open[i];
        TagName name = open->tag->rules.name;
        if (open->hash == hash)
            return (long)i;
        if (has_rule(open, SCOPE) || (beyond != OTHER_TAG && (name == beyond || name == beyond_too)))
            return NOWHERE;
    }
    return NOWHERE;
}

long find_open(const Scanner *s, uint64_t hash)
{
    return find_in_scope(s, hash, OTHER_TAG, OTHER_TAG);
}

long find_paragraph(const Scanner *s)
{
    return find_in_scope(s, known_hash((Place) "p", 1), BUTTON, BUTTON);
}

bool close_paragraph(Scanner *s)
{
    long found = find_paragraph(s);
    return found == NOWHERE || pop_until(s, (size_t)found);
}

bool ignore(Scanner *s)
{
    s->was_ignored = true;
    return true;
}

bool close_in_scope(Scanner *s, long found)
{
    return found == NOWHERE ? ignore(s) : pop_until(s, (size_t)found);
}

bool close_ordinary(Scanner *s, uint64_t hash)
{
    for (size_t i = s->depth; i-- > 0;) {
        if (s->open[i].hash == hash)
            return pop_until(s, i);
        if (has_rule(&s->open[i], IS_SPECIAL))
            return ignore(s);
    }
    return ignore(s);
}

/* Close a formatting element that ends in a block which began in it: a parser ends it before the block and opens it
 * again inside, up to here. As it is no block itself, nothing that is read moves; only what is open changes. */
static bool close_across_blocks(Scanner *s, size_t index)
{
    size_t first = 0, last = 0, blocks = 0;
    for (size_t i = index + 1; i < s->depth; i++) {
        if (!has_rule(&s->open[i], IS_SPECIAL))
            continue;
        first = blocks++ == 0 ? i : first;
        last = i;
    }
    /* What is around a button decides whether it is a heading. */
    bool moves_button = s->has_button && any_heading(s);
    if (s->skipped > 0 || blocks > MOST_ADOPTED || any_matters(s, index) || moves_button)
        return false;
    if (!pop_until(s, last + 1))
        return false;
    leave_ghost(s, s->open[index].hash);
    memmove(&s->open[index], &s->open[first], (s->depth - first) * sizeof *s->open);
    s->depth -= first - index;
    return true;
}

bool close_formatting(Scanner *s, uint64_t hash)
{
    bool crosses_block = false;
    for (size_t i = s->depth; i-- > 0;) {
        bool may_be_ghost = s->ghosts > 0 && (any_matters(s, i) || s->ghost_names & name_bit(hash));
        if (s->open[i].hash == hash && may_be_ghost)
            return false; /* It may be one that was opened again that ends here. */
        if (s->open[i].hash == hash)
            return crosses_block ? close_across_blocks(s, i) : pop_until(s, i);
        if (has_rule(&s->open[i], SCOPE))
            break;
        crosses_block = crosses_block || has_rule(&s->open[i], IS_SPECIAL);
    }
    return (s->ghosts == 0 || (s->skipped == 0 && !any_matters(s, 0))) && ignore(s);
}
