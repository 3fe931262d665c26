#include "runtime/select/current.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/words.h"
#include "runtime/description/outline.h"
#include "runtime/select/known.h"
#include "runtime/variant/identity.h"
#include "runtime/variant/legacy.h"

/* Of a backend, by implementation; "": not worked out yet. */
struct codes {
    struct codes *next;
    char backend[16];
    char hashes[][TW_HASH_SIZE];
};

struct tw_today {
    const struct tw_description *description;
    pthread_mutex_t lock; /* of what follows, which only grows */
    struct codes *codes;
    char (*legacy)[TW_HASH_SIZE]; /* by implementation */
    struct tw_words *verdicts;    /* on results whose sources were rendered (verdict_key) */
    struct tw_known *known;       /* has a lock of its own */
};

struct tw_today *tw_today_create(const struct tw_description *description) {
    struct tw_today *today = calloc(1, sizeof *today);
    if (today == NULL)
        return NULL;
    today->description = description;
    pthread_mutex_init(&today->lock, NULL);
    today->legacy = calloc((size_t)description->implementation_count, sizeof *today->legacy);
    today->verdicts = tw_words_create();
    today->known = tw_known_create();
    if (today->legacy != NULL && today->verdicts != NULL && today->known != NULL)
        return today;
    tw_today_free(today);
    return NULL;
}

void tw_today_free(struct tw_today *today) {
    if (today == NULL)
        return;
    while (today->codes != NULL) {
        struct codes *next = today->codes->next;
        free(today->codes);
        today->codes = next;
    }
    free(today->legacy);
    tw_words_free(today->verdicts);
    tw_known_free(today->known);
    pthread_mutex_destroy(&today->lock);
    free(today);
}

struct tw_known *tw_today_known(struct tw_today *today) {
    return today->known;
}

/* ---- Code ---- */

/* Where a hash is kept once it is known; with the lock. */
static struct codes *codes_of(struct tw_today *today, const char *backend) {
    struct codes *codes = today->codes;
    while (codes != NULL && strcmp(codes->backend, backend) != 0)
        codes = codes->next;
    if (codes != NULL || strlen(backend) >= sizeof codes->backend)
        return codes;
    codes = calloc(1, sizeof *codes +
                          (size_t)today->description->implementation_count * sizeof *codes->hashes);
    if (codes == NULL)
        return NULL;
    strcpy(codes->backend, backend);
    codes->next = today->codes;
    today->codes = codes;
    return codes;
}

/* Whoever worked it out first: others may be reading it. */
static void keep_hash(struct tw_today *today, char kept[TW_HASH_SIZE], const char *hash) {
    pthread_mutex_lock(&today->lock);
    if (kept[0] == '\0')
        strcpy(kept, hash);
    pthread_mutex_unlock(&today->lock);
}

tw_status tw_today_code(struct tw_today *today, int implementation, const char *backend,
                        const char **code, struct tw_error *error) {
    *code = tw_description_code(today->description, implementation, backend);
    if (*code != NULL)
        return TW_OK;
    pthread_mutex_lock(&today->lock);
    struct codes *codes = codes_of(today, backend);
    bool is_known = codes != NULL && codes->hashes[implementation][0] != '\0';
    pthread_mutex_unlock(&today->lock);
    if (codes == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    *code = codes->hashes[implementation];
    if (is_known)
        return TW_OK;
    char hash[TW_HASH_SIZE];
    tw_status status = tw_description_need(today->description, implementation, error);
    if (status == TW_OK)
        status = tw_identity_code(today->description, implementation, backend, hash, error);
    if (status == TW_OK)
        keep_hash(today, codes->hashes[implementation], hash);
    return status;
}

static bool is_known(const char *hash) {
    return hash != NULL && hash[0] != '\0';
}

/* A verdict, with its words. */
static tw_status tell(tw_status verdict, struct tw_error *error) {
    if (verdict == TW_NOT_FOUND)
        return tw_fail(error, verdict, "its template has changed since");
    if (verdict == TW_WRONG)
        return tw_fail(error, verdict,
                       "its reference, tolerance, cases or inputs have changed since");
    return verdict;
}

static tw_status check_legacy(struct tw_today *today, int index, const struct tw_stored *stored,
                              const char *code, struct tw_error *error) {
    const struct tw_description *d = today->description;
    const char *meant =
        tw_legacy_code(d->kernel, stored->implementation, stored->template_hash, stored->backend);
    if (meant != NULL && strcmp(meant, code) == 0)
        return TW_OK;
    char hash[TW_HASH_SIZE];
    pthread_mutex_lock(&today->lock);
    strcpy(hash, today->legacy[index]);
    pthread_mutex_unlock(&today->lock);
    tw_status status = hash[0] == '\0' ? tw_legacy_hash(d, index, hash, error) : TW_OK;
    if (status == TW_OK)
        keep_hash(today, today->legacy[index], hash);
    return status == TW_OK && strcmp(hash, stored->template_hash) != 0 ? tell(TW_NOT_FOUND, error)
                                                                       : status;
}

/* ---- Sources and judges ---- */

static tw_status check_source(const struct tw_problem *problem,
                              const struct tw_configuration *configuration,
                              const struct tw_stored *stored, struct tw_error *error) {
    char hash[TW_HASH_SIZE];
    tw_status status =
        tw_identity_source(problem, configuration, stored->backend, stored->device, hash, error);
    return status == TW_OK && strcmp(hash, stored->source) != 0 ? tell(TW_NOT_FOUND, error)
                                                                : status;
}

static tw_status check_judge(const struct tw_problem *problem, const struct tw_stored *stored,
                             struct tw_error *error) {
    char hash[TW_HASH_SIZE];
    tw_status status = tw_identity_judge(problem, stored->backend, stored->device, hash, error);
    return status == TW_OK && strcmp(hash, stored->judge) != 0 ? tell(TW_WRONG, error) : status;
}

/* All that a verdict follows from, but for the description. */
static tw_status verdict_key(const struct tw_problem *problem, const struct tw_stored *stored,
                             bool judged, char key[TW_HASH_SIZE], struct tw_error *error) {
    char problem_key[TW_PROBLEM_KEY_SIZE];
    tw_problem_key(problem, problem_key);
    struct tw_hash *hash = tw_hash_begin();
    tw_hash_add(hash, &judged, sizeof judged);
    tw_hash_add_text(hash, stored->backend);
    tw_hash_add(hash, stored->device, TW_DEVICE_SLOTS * sizeof *stored->device);
    tw_hash_add_text(hash, stored->implementation);
    tw_hash_add_text(hash, stored->source);
    tw_hash_add_text(hash, stored->judge);
    tw_hash_add_text(hash, stored->configuration);
    tw_hash_add_text(hash, problem_key);
    tw_hash_finish(hash, key);
    return key[0] != '\0' ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

static const tw_status verdicts[] = {TW_OK, TW_NOT_FOUND, TW_WRONG};
enum { VERDICTS = sizeof verdicts / sizeof *verdicts };

/* A key with the verdict before it. */
static void verdict_word(int verdict, const char *key, char word[TW_HASH_SIZE + 1]) {
    word[0] = (char)('0' + verdict);
    strcpy(word + 1, key);
}

static bool recall(struct tw_today *today, const char *key, tw_status *verdict) {
    char word[TW_HASH_SIZE + 1];
    bool found = false;
    pthread_mutex_lock(&today->lock);
    for (int i = 0; i < VERDICTS && !found; i++) {
        verdict_word(i, key, word);
        found = tw_words_find(today->verdicts, word) != NULL;
        *verdict = verdicts[i];
    }
    pthread_mutex_unlock(&today->lock);
    return found;
}

static tw_status remember(struct tw_today *today, const char *key, tw_status verdict,
                          struct tw_error *error) {
    char word[TW_HASH_SIZE + 1];
    bool kept = true;
    pthread_mutex_lock(&today->lock);
    for (int i = 0; i < VERDICTS; i++) {
        verdict_word(i, key, word);
        if (verdicts[i] == verdict)
            kept = tw_words_share(today->verdicts, word) != NULL;
    }
    pthread_mutex_unlock(&today->lock);
    return kept ? verdict : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

/* Renders the sources, unless that was done before: it takes longer than the rest of a selection.
 */
static tw_status check_rendered(struct tw_today *today, const struct tw_problem *problem, int index,
                                const struct tw_stored *stored, bool judged,
                                struct tw_error *error) {
    char key[TW_HASH_SIZE];
    struct tw_configuration configuration;
    tw_status verdict;
    if (stored->device == NULL)
        return tw_fail(error, TW_NOT_FOUND,
                       "its template has changed since, and its device is not known well enough to "
                       "tell whether that matters");
    tw_status status = verdict_key(problem, stored, judged, key, error);
    if (status == TW_OK && recall(today, key, &verdict))
        return tell(verdict, error);
    if (status == TW_OK)
        status = tw_configuration_parse(&configuration, today->description, index,
                                        stored->configuration, error);
    if (status == TW_OK)
        status = check_source(problem, &configuration, stored, error);
    if (status == TW_OK && judged)
        status = check_judge(problem, stored, error);
    return status != TW_NO_MEMORY ? remember(today, key, status, error) : status;
}

static tw_status check(struct tw_today *today, const struct tw_problem *problem,
                       const struct tw_stored *stored, bool judged, struct tw_error *error) {
    const struct tw_description *d = today->description;
    int index = tw_description_implementation(d, stored->implementation);
    const char *code;
    if (index < 0)
        return tw_fail(error, TW_NOT_FOUND, "its implementation %.48s is not there any more",
                       stored->implementation);
    tw_status status = tw_today_code(today, index, stored->backend, &code, error);
    if (status != TW_OK || strcmp(code, stored->template_hash) == 0)
        return status;
    status = tw_description_need(d, index, error);
    if (status != TW_OK)
        return status;
    return is_known(stored->source) && is_known(stored->judge)
               ? check_rendered(today, problem, index, stored, judged, error)
               : check_legacy(today, index, stored, code, error);
}

tw_status tw_today_check(struct tw_today *today, const struct tw_problem *problem,
                         const struct tw_stored *stored, struct tw_error *error) {
    return check(today, problem, stored, true, error);
}

tw_status tw_today_check_code(struct tw_today *today, const struct tw_problem *problem,
                              const struct tw_stored *stored, struct tw_error *error) {
    return check(today, problem, stored, false, error);
}
