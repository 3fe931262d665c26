#include <ctype.h>
#include <string.h>

#include "runtime/description/expression.h"

bool tw_is_identifier(const char *name) {
    if (!(isalpha((unsigned char)name[0]) || name[0] == '_'))
        return false;
    size_t length = 1;
    while (isalnum((unsigned char)name[length]) || name[length] == '_')
        length++;
    return name[length] == '\0' && length < TW_NAME_SIZE;
}

static int find(char names[][TW_NAME_SIZE], int count, const char *name) {
    /* Asked for every name of every expression: most differ in the first two letters. "" is none.
     */
    if (name[0] == '\0')
        return -1;
    for (int i = 0; i < count; i++)
        if (names[i][0] == name[0] && names[i][1] == name[1] && strcmp(names[i], name) == 0)
            return i;
    return -1;
}

void tw_symbols_copy(struct tw_symbols *to, const struct tw_symbols *from) {
    to->count = from->count;
    to->word_count = from->word_count;
    memcpy(to->names, from->names, (size_t)from->count * sizeof *from->names);
    memcpy(to->words, from->words, (size_t)from->word_count * sizeof *from->words);
    memcpy(to->holds_word, from->holds_word, sizeof from->holds_word);
}

int tw_symbols_find(const struct tw_symbols *symbols, const char *name) {
    return find(((struct tw_symbols *)symbols)->names, symbols->count, name);
}

int tw_symbols_find_word(const struct tw_symbols *symbols, const char *word) {
    return find(((struct tw_symbols *)symbols)->words, symbols->word_count, word);
}

int tw_symbols_add(struct tw_symbols *symbols, const char *name) {
    if (!tw_is_identifier(name) || symbols->count == TW_MAX_SYMBOLS ||
        tw_symbols_find(symbols, name) >= 0)
        return -1;
    strcpy(symbols->names[symbols->count], name);
    return symbols->count++;
}

int tw_symbols_word(struct tw_symbols *symbols, const char *word) {
    int id = tw_symbols_find_word(symbols, word);
    if (id >= 0)
        return id;
    if (!tw_is_identifier(word) || symbols->word_count == TW_MAX_WORDS)
        return -1;
    strcpy(symbols->words[symbols->word_count], word);
    return symbols->word_count++;
}

void tw_symbols_hold_word(struct tw_symbols *symbols, int slot) {
    symbols->holds_word[slot] = true;
}
