/* A scanner, and what it is told of all pages. */
#include "scanner.h"

#include <stdlib.h>
#include <string.h>

static const Tag *find_tag(const Scanner *s, uint64_t hash, Place name, size_t size)
{
    for (size_t i = hash % TAG_SLOTS; s->slots[i] != NULL; i = (i + 1) % TAG_SLOTS) {
        const Tag *tag = s->slots[i];
        /* A page may use a name that was made to have another's hash. */
        if (tag->hash == hash && tag->size == size && same_folded(name, tag->rules.spelling, size))
            return tag;
    }
    return &s->stranger;
}

const Tag *tag_of(const Scanner *s, Markup *markup)
{
    markup->hash = known_hash(markup->name, markup->name_size);
    const Tag *tag = find_tag(s, markup->hash, markup->name, markup->name_size);
    markup->hash |= tag == &s->stranger;
    return tag;
}

const Tag *known_tag(const Scanner *s, const char *name)
{
    return find_tag(s, known_hash((Place)name, strlen(name)), (Place)name, strlen(name));
}

EXPORTED Scanner *page_scanner(void)
{
    Scanner *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    for (size_t i = 0; i < TAG_COUNT; i++) {
        const char *spelling = TAG_RULES[i].spelling;
        uint64_t hash = known_hash((Place)spelling, strlen(spelling));
        s->tags[i] = (Tag){TAG_RULES[i], {0}, hash, strlen(spelling)};
        size_t slot = hash % TAG_SLOTS;
        while (s->slots[slot] != NULL)
            slot = (slot + 1) % TAG_SLOTS;
        s->slots[slot] = &s->tags[i];
    }
    s->stranger.rules.spelling = "";
    return s;
}

EXPORTED void page_close(Scanner *s)
{
    references_free(&s->references);
    lines_free(&s->lines);
    Bytes *all[] = {&s->title, &s->language, &s->links, &s->base, &s->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(all[i]);
    free(s);
}

EXPORTED bool page_know_reference(Scanner *s, const char *name, const char *value)
{
    return references_add(&s->references, name, value);
}

/* Say how an element is laid out; false when it is none of those that have rules. */
EXPORTED bool page_know_tag(Scanner *s, const char *name, uint8_t kind, uint8_t place, bool is_block, bool is_unseen)
{
    for (size_t i = 0; i < TAG_COUNT; i++)
        if (strcmp(s->tags[i].rules.spelling, name) == 0) {
            s->tags[i].layout = (Layout){kind, place, is_block, is_unseen};
            return true;
        }
    return false;
}

EXPORTED void page_know_letter(Scanner *s, uint8_t kind, uint8_t boilerplate)
{
    s->boilerplate[kind] = boilerplate;
}

/* Say what a word stands for: a role or an id ('r', 'i'), a part of the name of what asks for consent ('c', 't'). */
EXPORTED bool page_know_word(Scanner *s, uint8_t what, const char *word, uint8_t place)
{
    Words *words = what == 'r' ? &s->roles : what == 'i' ? &s->ids : what == 'c' ? &s->consent_words : &s->consent_tools;
    size_t size = strlen(word);
    if (words->count == MOST_WORDS || size >= sizeof words->words[0].word)
        return false;
    Word *made = &words->words[words->count++];
    memcpy(made->word, word, size + 1);
    made->size = size;
    made->place = place;
    return true;
}
