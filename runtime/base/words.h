/* Texts that are kept once each, so that equal texts are equal pointers. */
#ifndef TW_BASE_WORDS_H
#define TW_BASE_WORDS_H

struct tw_words;

/* NULL when out of memory. */
struct tw_words *tw_words_create(void);
/* With all texts; NULL is fine. */
void tw_words_free(struct tw_words *words);

/* The one text for these words; it lives as long as `words`. NULL when out of memory. */
const char *tw_words_share(struct tw_words *words, const char *text);
/* NULL when nobody shared it. */
const char *tw_words_find(const struct tw_words *words, const char *text);

#endif
