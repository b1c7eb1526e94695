/* Scan pages from standard input, each behind its length as four bytes, the lowest first. */
#include "scanner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Scanner *page_scanner(void);
void page_close(Scanner *s);
bool page_know_reference(Scanner *s, const char *name, const char *value);
bool page_know_tag(Scanner *s, const char *name, uint8_t kind, uint8_t place, bool is_block, bool is_unseen);
bool page_know_word(Scanner *s, uint8_t what, const char *word, uint8_t place);
bool page_scan(Scanner *s, Place source, size_t size);
bool text_is_utf8(Place at, size_t size);
size_t text_fingerprint(Place at, size_t size, size_t most, uint64_t (*hash)(const void *, size_t), uint64_t *bits);

static uint64_t hash_of(const void *data, size_t size)
{
    return known_hash(data, size);
}

static void teach(Scanner *s)
{
    const char *blocks[] = {"div", "p", "h1", "h2", "li", "table", "tr", "form", "ul", "section", "legend", "dialog"};
    const char *unseen[] = {"label", "noscript", "script", "style", "select", "template", "textarea", "title", "video"};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        page_know_tag(s, blocks[i], 'p', 0, true, false);
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        page_know_tag(s, unseen[i], 0, 0, false, true);
    page_know_tag(s, "pre", 'c', 0, true, false);
    page_know_tag(s, "xmp", 'c', 0, true, false);
    page_know_reference(s, "amp;", "&");
    page_know_reference(s, "amp", "&");
    page_know_reference(s, "nbsp;", "\xc2\xa0");
    page_know_reference(s, "not", "\xc2\xac");
    page_know_reference(s, "nGt;", "\xe2\x89\xab\xe2\x83\x92");
    page_know_word(s, 'r', "navigation", 1);
    page_know_word(s, 'i', "nav", 1);
    page_know_word(s, 'c', "banner", 1);
    page_know_word(s, 't', "onetrust-", 1);
}

int main(void)
{
    Scanner *s = page_scanner();
    uint8_t length[4];
    teach(s);
    while (fread(length, 1, 4, stdin) == 4) {
        size_t size = length[0] | length[1] << 8 | length[2] << 16 | (size_t)length[3] << 24;
        uint8_t *page = malloc(size ? size : 1); /* Of its very size, so that one byte more is noticed. */
        if (page == NULL || fread(page, 1, size, stdin) != size)
            return 1;
        uint64_t bits;
        page_scan(s, page, size);
        text_is_utf8(page, size);
        text_fingerprint(page, size, 1000, hash_of, &bits);
        free(page);
    }
    page_close(s);
    return 0;
}
