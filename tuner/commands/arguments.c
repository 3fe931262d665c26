#include "tuner/commands/arguments.h"

#include <ctype.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/store.h"
#include "runtime/base/text.h"
#include "tuner/commands/argument_values.h"

enum { MOST_JOBS = 512, LEAST_ROUNDS = 6 /* for an interval of 95% */, MOST_ROUNDS = 1000 };

/* An option: how its value is taken, and which member of the arguments it fills. */
struct row {
    const char *name;
    tw_status (*take)(struct arguments *arguments, const struct row *row, const char *value,
                      struct tw_error *error);
    size_t member;
    int64_t least, most; /* of numbers */
};

static void *member_of(struct arguments *a, const struct row *row) {
    return (char *)a + row->member;
}

static tw_status take_flag(struct arguments *a, const struct row *row, const char *value,
                           struct tw_error *error) {
    (void)value, (void)error;
    *(bool *)member_of(a, row) = true;
    return TW_OK;
}

static tw_status take_text(struct arguments *a, const struct row *row, const char *value,
                           struct tw_error *error) {
    (void)error;
    *(const char **)member_of(a, row) = value;
    return TW_OK;
}

static tw_status take_word(struct arguments *a, const struct row *row, const char *value,
                           struct tw_error *error) {
    return add_word(member_of(a, row), value, error);
}

static tw_status take_strategy(struct arguments *a, const struct row *row, const char *value,
                               struct tw_error *error) {
    a->strategy = value;
    return take_word(a, row, value, error);
}

static tw_status take_descriptions(struct arguments *a, const struct row *row, const char *value,
                                   struct tw_error *error) {
    return add_descriptions(member_of(a, row), value, error);
}

static tw_status take_integer(struct arguments *a, const struct row *row, const char *value,
                              struct tw_error *error) {
    return parse_integer(row->name, value, row->least, row->most, member_of(a, row), error);
}

static tw_status take_jobs(struct arguments *a, const struct row *row, const char *value,
                           struct tw_error *error) {
    a->jobs_given = true;
    return take_integer(a, row, value, error);
}

static tw_status take_seconds(struct arguments *a, const struct row *row, const char *value,
                              struct tw_error *error) {
    return parse_seconds(row->name, value, member_of(a, row), error);
}

static tw_status take_shape(struct arguments *a, const struct row *row, const char *value,
                            struct tw_error *error) {
    (void)row;
    return add_shape(&a->shapes, &a->shape_count, value, error);
}

static tw_status take_shapes(struct arguments *a, const struct row *row, const char *value,
                             struct tw_error *error) {
    (void)row;
    return add_shapes(&a->shapes, &a->shape_count, value, error);
}

/* --attr dtype=f64 */
static tw_status take_attribute(struct arguments *a, const struct row *row, const char *value,
                                struct tw_error *error) {
    (void)row;
    return add_attribute(a->attributes, &a->attribute_count, NULL, value, error);
}

/* --dtype f64 */
static tw_status take_own_attribute(struct arguments *a, const struct row *row, const char *value,
                                    struct tw_error *error) {
    return add_attribute(a->attributes, &a->attribute_count, row->name, value, error);
}

/* What nothing asks for has a name here, too. */
static tw_status take_compute(struct arguments *a, const struct row *row, const char *value,
                              struct tw_error *error) {
    return take_own_attribute(a, row, strcmp(value, "f32") == 0 ? "default" : value, error);
}

static tw_status take_budget(struct arguments *a, const struct row *row, const char *value,
                             struct tw_error *error) {
    a->budget_given = true;
    a->budget_seconds = 0;
    a->budget_trials = 0;
    if (value[0] != '\0' && isalpha((unsigned char)value[strlen(value) - 1]))
        return parse_seconds(row->name, value, &a->budget_seconds, error);
    if (parse_integer(row->name, value, 1, 1000000000, &a->budget_trials, error) != TW_OK)
        return tw_fail(error, TW_INVALID,
                       "--budget %s: expected a time (90s, 5m, 1h) or a number of trials (500)",
                       value);
    return TW_OK;
}

static tw_status take_cache(struct arguments *a, const struct row *row, const char *value,
                            struct tw_error *error) {
    (void)row;
    if (strcmp(value, "cold") != 0 && strcmp(value, "warm") != 0)
        return tw_fail(error, TW_INVALID, "--cache %s: expected cold or warm", value);
    a->cache = value;
    a->cache_given = true;
    return TW_OK;
}

static tw_status take_prior(struct arguments *a, const struct row *row, const char *value,
                            struct tw_error *error) {
    if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
        return tw_fail(error, TW_INVALID, "--%s %s: expected on or off", row->name, value);
    a->no_prior = strcmp(value, "off") == 0;
    return TW_OK;
}

/* May be repeated; "failed" is all that are not ok. */
static tw_status take_status(struct arguments *a, const struct row *row, const char *value,
                             struct tw_error *error) {
    struct tw_text known = {0};
    if (strcmp(value, "failed") == 0) {
        a->statuses |= TW_DB_TRIAL_FAILURES;
        return TW_OK;
    }
    for (int i = 0; i < TW_DB_TRIAL_STATUS_COUNT; i++) {
        const char *name = tw_db_trial_status_text((enum tw_db_trial_status)i);
        if (strcmp(value, name) == 0) {
            a->statuses |= TW_DB_TRIAL_BIT(i);
            tw_text_free(&known);
            return TW_OK;
        }
        tw_text_print(&known, "%s, ", name);
    }
    tw_fail(error, TW_INVALID, "--%s %s: expected one of %sor failed, which is all but ok",
            row->name, value, tw_text_or(&known, ""));
    tw_text_free(&known);
    return TW_INVALID;
}

#define MEMBER(name) offsetof(struct arguments, name)
static const struct row rows[OPTION_COUNT] = {
    [OPTION_SHAPE] = {"shape", take_shape, 0, 0, 0},
    [OPTION_SHAPES] = {"shapes", take_shapes, 0, 0, 0},
    [OPTION_DTYPE] = {"dtype", take_own_attribute, 0, 0, 0},
    [OPTION_TRANS] = {"trans", take_own_attribute, 0, 0, 0},
    [OPTION_COMPUTE] = {"compute", take_compute, 0, 0, 0},
    [OPTION_ATTR] = {"attr", take_attribute, 0, 0, 0},
    [OPTION_DEVICE] = {"device", take_text, MEMBER(device), 0, 0},
    [OPTION_DEVICES] = {"devices", take_text, MEMBER(devices), 0, 0},
    [OPTION_BUDGET] = {"budget", take_budget, 0, 0, 0},
    [OPTION_STRATEGY] = {"strategy", take_strategy, MEMBER(strategies), 0, 0},
    [OPTION_PRIOR] = {"prior", take_prior, 0, 0, 0},
    [OPTION_SEED] = {"seed", take_integer, MEMBER(seed), 0, UINT32_MAX},
    [OPTION_SEEDS] = {"seeds", take_integer, MEMBER(seeds), 1, 100000},
    [OPTION_TRIALS] = {"trials", take_integer, MEMBER(trials), 1, 1000000},
    [OPTION_OUTSTANDING] = {"outstanding", take_integer, MEMBER(outstanding), 1, 1000},
    [OPTION_ROUNDS] = {"rounds", take_integer, MEMBER(rounds), LEAST_ROUNDS, MOST_ROUNDS},
    [OPTION_JOBS] = {"jobs", take_jobs, MEMBER(jobs), 1, MOST_JOBS},
    [OPTION_LOCAL] = {"local", take_text, MEMBER(local), 0, 0},
    [OPTION_LOST_AFTER] = {"lost-after", take_seconds, MEMBER(lost_after_s), 0, 0},
    [OPTION_DB] = {"db", take_text, MEMBER(db), 0, 0},
    [OPTION_CACHE] = {"cache", take_cache, 0, 0, 0},
    [OPTION_CONFIG] = {"config", take_descriptions, MEMBER(configs), 0, 0},
    [OPTION_TRIAL_LIMIT] = {"trial-limit", take_seconds, MEMBER(trial_limit_s), 0, 0},
    [OPTION_COMPILE_LIMIT] = {"compile-limit", take_seconds, MEMBER(compile_limit_s), 0, 0},
    [OPTION_RUN] = {"run", take_integer, MEMBER(run), 1, INT64_MAX},
    [OPTION_OUTPUT] = {"output", take_text, MEMBER(output), 0, 0},
    [OPTION_BINARIES] = {"binaries", take_flag, MEMBER(binaries), 0, 0},
    [OPTION_DIRECTORY] = {"directory", take_text, MEMBER(directory), 0, 0},
    [OPTION_FORMAT] = {"format", take_text, MEMBER(format), 0, 0},
    [OPTION_BENCH] = {"bench", take_text, MEMBER(bench), 0, 0},
    [OPTION_KERNEL] = {"kernel", take_text, MEMBER(kernel), 0, 0},
    [OPTION_IMPLEMENTATION] = {"implementation", take_text, MEMBER(implementation), 0, 0},
    [OPTION_PRESET] = {"preset", take_text, MEMBER(preset), 0, 0},
    [OPTION_ARCH] = {"arch", take_text, MEMBER(arch), 0, 0},
    [OPTION_STATUS] = {"status", take_status, 0, 0, 0},
    [OPTION_KEEP] = {"keep", take_flag, MEMBER(keep), 0, 0},
    [OPTION_ANEW] = {"anew", take_flag, MEMBER(anew), 0, 0},
    [OPTION_LEAVE] = {"leave", take_word, MEMBER(leave), 0, 0},
    [OPTION_FROM] = {"from", take_text, MEMBER(from), 0, 0},
    [OPTION_FROM_LOG] = {"from-log", take_text, MEMBER(from_log), 0, 0},
    [OPTION_FIX] = {"fix", take_word, MEMBER(fixes), 0, 0},
    [OPTION_CONFIGURATION] = {"configuration", take_text, MEMBER(configuration), 0, 0},
    [OPTION_SOURCE] = {"source", take_flag, MEMBER(source), 0, 0},
    [OPTION_LOG] = {"log", take_flag, MEMBER(log), 0, 0},
    [OPTION_JSON] = {"json", take_flag, MEMBER(json), 0, 0},
    [OPTION_QUIET] = {"quiet", take_flag, MEMBER(quiet), 0, 0},
    [OPTION_VERBOSE] = {"verbose", take_flag, MEMBER(verbose), 0, 0},
    [OPTION_HELP] = {"help", take_flag, MEMBER(help), 0, 0},
};
#undef MEMBER

bool arguments_takes_value(const char *word) {
    if (strcmp(word, "-o") == 0)
        return true;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strncmp(word, "--", 2) == 0 && strcmp(rows[i].name, word + 2) == 0)
            return rows[i].take != take_flag;
    return false;
}

bool arguments_ask_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* What getopt returns for an option: its index, beyond all letters. */
enum { FIRST_OPTION = 256 };

/* Only the options that this subcommand takes. */
static size_t select_options(option_set allowed, struct option *selected, const char **names) {
    size_t count = 0;
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (((allowed | OPTION(HELP)) >> i & 1) == 0)
            continue;
        int kind = rows[i].take != take_flag ? required_argument : no_argument;
        selected[count] = (struct option){rows[i].name, kind, NULL, FIRST_OPTION + i};
        names[count++] = rows[i].name;
    }
    selected[count] = (struct option){NULL, 0, NULL, 0};
    return count;
}

static tw_status take_plain(struct arguments *a, const char *word, option_set allowed,
                            struct tw_error *error) {
    if ((allowed & WORDS_ARE_FILES) != 0)
        return add_word(&a->files, word, error);
    if (a->kernel != NULL)
        return tw_fail(error, TW_INVALID, "unexpected \"%s\"; see --help", word);
    a->kernel = word;
    return TW_OK;
}

static tw_status bad_option(const char *word, const char *const *names, size_t count,
                            struct tw_error *error) {
    char name[64] = "";
    strncpy(name, word + strspn(word, "-"), sizeof name - 1);
    name[strcspn(name, "=")] = '\0';
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return tw_fail(error, TW_INVALID, "%s: takes no value", word);
    const char *nearest = tw_nearest(name, names, count);
    if (nearest != NULL)
        return tw_fail(error, TW_INVALID, "unknown option %s; did you mean --%s?", word, nearest);
    return tw_fail(error, TW_INVALID, "unknown option %s; see --help", word);
}

tw_status arguments_parse(struct arguments *a, int count, char **words, option_set allowed,
                          struct tw_error *error) {
    struct option selected[OPTION_COUNT + 1];
    const char *names[OPTION_COUNT];
    size_t name_count = select_options(allowed, selected, names);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *a = (struct arguments){.budget_seconds = 60,
                            .seed = 1,
                            .seeds = 100,
                            .outstanding = 1,
                            .rounds = 31,
                            .jobs = cores < 1           ? 1
                                    : cores < MOST_JOBS ? cores
                                                        : MOST_JOBS,
                            .lost_after_s = 30,
                            .cache = "cold",
                            .compile_limit_s = 60};
    optind = 0; /* start over: subcommands may have parsed before */
    opterr = 0;
    int letter;
    /* "-": plain words come as option 1, wherever they stand; ":": a missing value is told apart.
     * Short forms are those that every program has, for --help and --output. */
    const char *brief = (allowed & OPTION(OUTPUT)) != 0 ? "-:ho:" : "-:h";
    tw_status status = TW_OK;
    while (status == TW_OK && (letter = getopt_long(count, words, brief, selected, NULL)) != -1) {
        if (letter == ':')
            return tw_fail(error, TW_INVALID, "%s: needs a value", words[optind - 1]);
        if (letter == '?')
            return bad_option(words[optind - 1], names, name_count, error);
        int index = letter == 'o'   ? OPTION_OUTPUT
                    : letter == 'h' ? OPTION_HELP
                                    : letter - FIRST_OPTION;
        status = letter == 1 ? take_plain(a, optarg, allowed, error)
                             : rows[index].take(a, &rows[index], optarg, error);
    }
    /* Those after "--". */
    for (; status == TW_OK && optind < count; optind++)
        status = take_plain(a, words[optind], allowed, error);
    return status;
}

void arguments_free(struct arguments *a) {
    for (int i = 0; i < a->shape_count; i++) {
        free(a->shapes[i].shape);
        free(a->shapes[i].origin);
        for (int j = 0; j < a->shapes[i].attribute_count; j++)
            free(a->shapes[i].attributes[j]);
    }
    free(a->shapes);
    free(a->files.words);
    for (int i = 0; i < a->configs.count; i++)
        free((char *)a->configs.words[i]);
    free(a->configs.words);
    free(a->fixes.words);
    free(a->leave.words);
    free(a->strategies.words);
    for (int i = 0; i < a->attribute_count; i++)
        free(a->attributes[i]);
    *a = (struct arguments){0};
}
