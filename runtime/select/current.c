#include "runtime/select/current.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/description/outline.h"
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
    struct codes *codes;
    char (*legacy)[TW_HASH_SIZE]; /* by implementation */
};

struct tw_today *tw_today_create(const struct tw_description *description) {
    struct tw_today *today = calloc(1, sizeof *today);
    if (today == NULL)
        return NULL;
    today->description = description;
    today->legacy = calloc((size_t)description->implementation_count, sizeof *today->legacy);
    if (today->legacy != NULL)
        return today;
    free(today);
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
    free(today);
}

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

tw_status tw_today_code(struct tw_today *today, int implementation, const char *backend,
                        const char **code, struct tw_error *error) {
    *code = tw_description_code(today->description, implementation, backend);
    if (*code != NULL)
        return TW_OK;
    struct codes *codes = codes_of(today, backend);
    if (codes == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    *code = codes->hashes[implementation];
    if ((*code)[0] != '\0')
        return TW_OK;
    tw_status status = tw_description_need(today->description, implementation, error);
    return status == TW_OK ? tw_identity_code(today->description, implementation, backend,
                                              codes->hashes[implementation], error)
                           : status;
}

static bool is_known(const char *hash) {
    return hash != NULL && hash[0] != '\0';
}

static tw_status check_legacy(struct tw_today *today, int index, const struct tw_stored *stored,
                              const char *code, struct tw_error *error) {
    const struct tw_description *d = today->description;
    const char *meant =
        tw_legacy_code(d->kernel, stored->implementation, stored->template_hash, stored->backend);
    if (meant != NULL && strcmp(meant, code) == 0)
        return TW_OK;
    char *hash = today->legacy[index];
    tw_status status = hash[0] == '\0' ? tw_legacy_hash(d, index, hash, error) : TW_OK;
    if (status == TW_OK && strcmp(hash, stored->template_hash) != 0)
        status = tw_fail(error, TW_NOT_FOUND, "its template has changed since");
    return status;
}

static tw_status check_source(const struct tw_problem *problem,
                              const struct tw_configuration *configuration,
                              const struct tw_stored *stored, struct tw_error *error) {
    char hash[TW_HASH_SIZE];
    if (stored->device == NULL)
        return tw_fail(error, TW_NOT_FOUND,
                       "its template has changed since, and its device is not known well enough to "
                       "tell whether that matters");
    tw_status status =
        tw_identity_source(problem, configuration, stored->backend, stored->device, hash, error);
    if (status == TW_OK && strcmp(hash, stored->source) != 0)
        status = tw_fail(error, TW_NOT_FOUND, "its template has changed since");
    return status;
}

static tw_status check_judge(const struct tw_problem *problem, const struct tw_stored *stored,
                             struct tw_error *error) {
    char hash[TW_HASH_SIZE];
    tw_status status = tw_identity_judge(problem, stored->backend, stored->device, hash, error);
    if (status == TW_OK && strcmp(hash, stored->judge) != 0)
        status = tw_fail(error, TW_WRONG,
                         "its reference, tolerance, cases or inputs have changed since");
    return status;
}

static tw_status check(struct tw_today *today, const struct tw_problem *problem,
                       const struct tw_stored *stored, bool judged, struct tw_error *error) {
    const struct tw_description *d = today->description;
    int index = tw_description_implementation(d, stored->implementation);
    const char *code;
    struct tw_configuration configuration;
    if (index < 0)
        return tw_fail(error, TW_NOT_FOUND, "its implementation %.48s is not there any more",
                       stored->implementation);
    tw_status status = tw_today_code(today, index, stored->backend, &code, error);
    if (status != TW_OK || strcmp(code, stored->template_hash) == 0)
        return status;
    status = tw_description_need(d, index, error);
    if (status != TW_OK)
        return status;
    if (!is_known(stored->source) || !is_known(stored->judge))
        return check_legacy(today, index, stored, code, error);
    status = tw_configuration_parse(&configuration, d, index, stored->configuration, error);
    if (status == TW_OK)
        status = check_source(problem, &configuration, stored, error);
    if (status == TW_OK && judged)
        status = check_judge(problem, stored, error);
    return status;
}

tw_status tw_today_check(struct tw_today *today, const struct tw_problem *problem,
                         const struct tw_stored *stored, struct tw_error *error) {
    return check(today, problem, stored, true, error);
}

tw_status tw_today_check_code(struct tw_today *today, const struct tw_problem *problem,
                              const struct tw_stored *stored, struct tw_error *error) {
    return check(today, problem, stored, false, error);
}
