#include "tuner/space/census.h"

#include <stdlib.h>
#include <string.h>

void census_add(struct census *census, enum census_kind kind, const char *text, double count) {
    struct census_entry *entry = census->entries, *end = entry + census->count;
    while (entry < end && (entry->kind != kind || entry->text != text))
        entry++;
    if (entry == end) {
        *entry = (struct census_entry){kind, text, 0};
        census->count++;
    }
    entry->count += count;
}

static int by_count(const void *left, const void *right) {
    const struct census_entry *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind)
                              : strcmp(a->text, b->text);
}

void census_text(const struct census *census, struct tw_text *text) {
    struct census sorted = *census;
    if (sorted.count == 0)
        tw_text_print(text, "none are ruled out");
    else
        qsort(sorted.entries, (size_t)sorted.count, sizeof *sorted.entries, by_count);
    for (int i = 0; i < sorted.count; i++) {
        const struct census_entry *entry = &sorted.entries[i];
        tw_text_print(text, "%s%.0f ", i > 0 ? ", " : "", entry->count);
        switch (entry->kind) {
        case CENSUS_CONSTRAINT:
            tw_text_print(text, "break the constraint \"%s\"", entry->text);
            break;
        case CENSUS_REDUNDANT:
            tw_text_print(text, "are redundant by \"%s\"", entry->text);
            break;
        case CENSUS_LIMIT:
            tw_text_print(text, "exceed the device's limit of %s", entry->text);
            break;
        case CENSUS_SIZE:
            tw_text_print(text, "have no valid %s", entry->text);
            break;
        }
    }
}
