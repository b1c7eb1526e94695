/* Tables and forms, which have rules of their own. */
#include "scanner.h"

bool is_in_table(const Scanner *s)
{
    return top_is(s, TABLE) || top_is(s, TBODY) || top_is(s, TR);
}

static bool push_implied(Scanner *s, const char *name)
{
    const Tag *tag = known_tag(s, name);
    return push(s, tag, tag->hash, NULL);
}

/* Close what is open in a table down to one of its parts. */
static bool clear_to(Scanner *s, TagName name, TagName or_name)
{
    while (is_in_table(s) && !top_is(s, name) && !top_is(s, or_name))
        if (!pop(s))
            return false;
    return true;
}

/* Close the cell or caption that is open, and tell whether a part of a table may begin then; false to refuse. */
static bool close_cell_or_caption(Scanner *s, bool *is_table)
{
    *is_table = false;
    for (size_t i = s->depth; i-- > 0;) {
        TagName name = s->open[i].tag->rules.name;
        if (name == TD || name == CAPTION) {
            *is_table = true;
            return pop_until(s, i);
        }
        if (name == TABLE || name == TBODY || name == TR) {
            *is_table = i + 1 == s->depth;
            return *is_table;
        }
    }
    return true;
}

bool start_part_of_table(Scanner *s, const Tag *tag, const Markup *markup)
{
    bool is_table;
    if (!close_cell_or_caption(s, &is_table))
        return false;
    if (!is_table)
        return ignore(s);
    TagName name = tag->rules.name;
    if (name == TD || name == TR) {
        if (!clear_to(s, name == TD ? TR : TBODY, TABLE))
            return false;
        if (name == TD && top_is(s, TBODY) && !push_implied(s, "tr"))
            return false;
        if (top_is(s, TABLE) && (!push_implied(s, "tbody") || (name == TD && !push_implied(s, "tr"))))
            return false;
    } else if (!clear_to(s, TABLE, TABLE)) {
        return false;
    }
    return name == COL || push(s, tag, markup->hash, markup);
}

bool end_in_table(Scanner *s, uint64_t hash)
{
    for (size_t i = s->depth; i-- > 0;) {
        if (s->open[i].hash == hash)
            return pop_until(s, i);
        if (s->open[i].tag->rules.name == TABLE)
            return ignore(s);
    }
    return ignore(s);
}

bool start_form(Scanner *s, const Tag *tag, const Markup *markup)
{
    if (s->form != NO_FORM)
        return ignore(s);
    if (is_in_table(s)) {
        s->form = FORM_IS_EMPTY;
        return end_line(s);
    }
    s->form = FORM_IS_OPEN;
    return close_paragraph(s) && push(s, tag, markup->hash, markup);
}

bool ends_by_itself(const Open *open)
{
    switch (open->tag->rules.name) {
    case DD: case DT: case LI: case OPTGROUP: case OPTION: case P: case RUBY_PART:
        return true;
    default:
        return false;
    }
}

bool end_form(Scanner *s, uint64_t hash)
{
    Form form = s->form;
    s->form = NO_FORM;
    long found = form == FORM_IS_OPEN ? find_open(s, hash) : NOWHERE;
    if (found == NOWHERE)
        return ignore(s);
    while (s->depth > (size_t)found + 1 && ends_by_itself(top(s)))
        if (!pop(s))
            return false;
    /* A form that ends while something in it is open goes on around that. */
    return s->depth == (size_t)found + 1 && s->ghosts == 0 && pop(s);
}
