#include "runtime/base/words.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/hash.h"

enum { BUCKETS = 256 };

struct word {
    struct word *next;
    char text[];
};

struct tw_words {
    struct word *buckets[BUCKETS];
};

struct tw_words *tw_words_create(void) {
    return calloc(1, sizeof(struct tw_words));
}

void tw_words_free(struct tw_words *words) {
    for (int i = 0; words != NULL && i < BUCKETS; i++) {
        while (words->buckets[i] != NULL) {
            struct word *next = words->buckets[i]->next;
            free(words->buckets[i]);
            words->buckets[i] = next;
        }
    }
    free(words);
}

static size_t bucket_of(const char *text) {
    return tw_hash64(text, strlen(text)) % BUCKETS;
}

const char *tw_words_find(const struct tw_words *words, const char *text) {
    const struct word *word = words->buckets[bucket_of(text)];
    while (word != NULL && strcmp(word->text, text) != 0)
        word = word->next;
    return word != NULL ? word->text : NULL;
}

const char *tw_words_share(struct tw_words *words, const char *text) {
    const char *known = tw_words_find(words, text);
    if (known != NULL)
        return known;
    struct word *word = malloc(sizeof *word + strlen(text) + 1);
    if (word == NULL)
        return NULL;
    strcpy(word->text, text);
    struct word **bucket = &words->buckets[bucket_of(text)];
    word->next = *bucket;
    *bucket = word;
    return word->text;
}
