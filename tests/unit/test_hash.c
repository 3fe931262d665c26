/* Content hashes: the identity of templates and binaries. */
#include "runtime/base/hash.h"

#include "tests/support/support.h"

/* The hash of some pieces; ends with NULL. */
static void hash_of(char out[TW_HASH_SIZE], ...) {
    struct tw_hash *hash = tw_hash_begin();
    assert_non_null(hash);
    va_list pieces;
    va_start(pieces, out);
    for (const char *piece; (piece = va_arg(pieces, const char *)) != NULL;)
        tw_hash_add_text(hash, piece);
    va_end(pieces);
    tw_hash_finish(hash, out);
}

static void is_32_digits(void **state) {
    (void)state;
    char hash[TW_HASH_SIZE];
    hash_of(hash, NULL);
    assert_int_equal(strlen(hash), 32);
    hash_of(hash, "something", NULL);
    assert_int_equal(strspn(hash, "0123456789abcdef"), 32);
    assert_int_equal(hash[32], '\0');
}

static void same_for_the_same(void **state) {
    (void)state;
    char a[TW_HASH_SIZE], b[TW_HASH_SIZE];
    hash_of(a, "one", "two", NULL);
    hash_of(b, "one", "two", NULL);
    assert_string_equal(a, b);
    struct tw_hash *hash = tw_hash_begin();
    tw_hash_add(hash, "one", 3);
    tw_hash_add(hash, "two", 3);
    tw_hash_finish(hash, b);
    assert_string_equal(a, b);
}

/* Databases keep hashes for years, so today's must be tomorrow's. */
static void stays_what_it_was(void **state) {
    (void)state;
    char hash[TW_HASH_SIZE];
    hash_of(hash, "tilewise", NULL);
    assert_string_equal(hash, "f929e479c47c3e7c2e75c75d33d5af9f");
}

static void pieces_are_framed(void **state) {
    (void)state;
    char hashes[8][TW_HASH_SIZE];
    hash_of(hashes[0], "ab", "c", NULL);
    hash_of(hashes[1], "a", "bc", NULL);
    hash_of(hashes[2], "abc", NULL);
    hash_of(hashes[3], "abc", "", NULL);
    hash_of(hashes[4], "", "abc", NULL);
    hash_of(hashes[5], "c", "ab", NULL);
    hash_of(hashes[6], NULL);
    hash_of(hashes[7], "", NULL);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(hashes[i], hashes[j]);
}

static void every_bit_counts(void **state) {
    (void)state;
    unsigned char bytes[300] = {0};
    char first[TW_HASH_SIZE], other[TW_HASH_SIZE];
    struct tw_hash *hash = tw_hash_begin();
    tw_hash_add(hash, bytes, sizeof bytes);
    tw_hash_finish(hash, first);
    uint64_t short_first = tw_hash64(bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit += 13) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        hash = tw_hash_begin();
        tw_hash_add(hash, bytes, sizeof bytes);
        tw_hash_finish(hash, other);
        assert_string_not_equal(first, other);
        assert_true(short_first != tw_hash64(bytes, sizeof bytes));
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_true(short_first == tw_hash64(bytes, sizeof bytes));
    assert_true(short_first != tw_hash64(bytes, sizeof bytes - 1));
}

static void no_memory_gives_nothing(void **state) {
    (void)state;
    char hash[TW_HASH_SIZE] = "left over";
    tw_hash_add(NULL, "x", 1);
    tw_hash_add_text(NULL, "x");
    tw_hash_finish(NULL, hash);
    assert_string_equal(hash, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_32_digits),      cmocka_unit_test(same_for_the_same),
        cmocka_unit_test(stays_what_it_was), cmocka_unit_test(pieces_are_framed),
        cmocka_unit_test(every_bit_counts),  cmocka_unit_test(no_memory_gives_nothing),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
