/* tune simulate FILE...: what search strategies are worth, on spaces that somebody recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/commands/arguments.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/formats/recording.h"
#include "tuner/json/json.h"
#include "tuner/replay/print.h"

static const char help[] =
    "tune simulate FILE... [OPTIONS]\n"
    "\n"
    "Replays search strategies on recorded spaces, without a device: files that `tune record` or\n"
    "Kernel Tuner wrote (its caches), packed with gzip or not. What a file lists is the space.\n"
    "Prints for each strategy, over many seeds, the trials and the recorded seconds until it was\n"
    "within 10, 5, 2 and 1% of the best in the file, as median (lower quartile-upper quartile),\n"
    "\">\" where it was not within the trials that it had; how far from the best it was after 100\n"
    "trials (after all, if it had fewer) and at the end, in the median, and at the end with the\n"
    "worst seed; and a score: 1 finds the best at once, 0 is as good as points at random, over "
    "the\n"
    "time that random search takes to come 95% of the way from the median to the best. \"chance\"\n"
    "is what random search needs, worked out.\n"
    "Of files that `tune record` wrote it also prints the rank correlation of what the cost model\n"
    "predicts and what was measured; of a kernel of your own where --config names its "
    "description.\n"
    "\n"
    "  --strategy S         NAME, or NAME:SETTING=NUMBER,...; may be given more than once; \"all\" "
    "is\n"
    "                       every strategy; default: the default of tune\n"
    "  --seeds N            searches of each strategy, with seeds 1 to N; default 100\n"
    "  --trials N           most trials of a search; default 400, of a --budget any number\n"
    "  --budget TIME        what a search may take by the clock of so many compilers as may be\n"
    "                       outstanding and one device, with the recorded times\n"
    "  --outstanding N      configurations that are asked for before the first of them is told, "
    "as\n"
    "                       when many compile at once; default 1\n"
    "  --prior on|off       whether auto is told what the installed model predicts, and what\n"
    "                       configurations come to; default on\n"
    "  --config FILE        description of a kernel of your own that was recorded; may be given\n"
    "                       more than once\n"
    "  --json               print one JSON object\n"
    "\n"
    "Strategies and their settings:\n";

enum { TRIALS = 400 /* unless given */ };

struct simulation {
    const struct arguments *arguments;
    int strategy_count;
    struct strategy_choice *choices;
    char **names;
    int file_count;
    struct recording **recordings;
    struct baseline *baselines;
    struct foresight *foresights;
    struct assessment *assessments; /* those of a file beside each other */
    struct replayed *replayed;
    struct known_kernels kernels;
    struct tw_catalogue *installed; /* where models are */
};

static void free_all(struct simulation *s) {
    for (int i = 0; s->names != NULL && i < s->strategy_count; i++)
        free(s->names[i]);
    for (int i = 0; s->recordings != NULL && i < s->file_count; i++)
        recording_free(s->recordings[i]);
    free(s->names);
    free(s->choices);
    free(s->recordings);
    free(s->baselines);
    for (int i = 0; s->foresights != NULL && i < s->file_count; i++)
        foresight_free(&s->foresights[i]);
    free(s->foresights);
    known_kernels_close(&s->kernels);
    tw_catalogue_free(s->installed);
    free(s->assessments);
    free(s->replayed);
}

static tw_status add_strategy(struct simulation *s, const struct strategy_choice *choice,
                              struct tw_error *error) {
    struct tw_text words = {0};
    strategy_words(choice, &words);
    if (words.failed) {
        tw_text_free(&words);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    s->choices[s->strategy_count] = *choice;
    s->names[s->strategy_count++] = words.data;
    return TW_OK;
}

static tw_status choose(struct simulation *s, struct tw_error *error) {
    const struct word_list *words = &s->arguments->strategies;
    size_t kinds = 0;
    while (strategy_kinds()[kinds] != NULL)
        kinds++;
    size_t room = (size_t)(words->count + 1) * (kinds + 1);
    s->choices = calloc(room, sizeof *s->choices);
    s->names = calloc(room, sizeof *s->names);
    if (s->choices == NULL || s->names == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    for (int i = 0; status == TW_OK && (i < words->count || (i == 0 && words->count == 0)); i++) {
        const char *word = words->count > 0 ? words->words[i] : NULL;
        struct strategy_choice choice;
        bool all = word != NULL && strcmp(word, "all") == 0;
        for (size_t k = 0; all && status == TW_OK && k < kinds; k++) {
            choice = strategy_usual(strategy_kinds()[k]);
            status = add_strategy(s, &choice, error);
        }
        if (!all)
            status = strategy_choose(&choice, word, error);
        if (!all && status == TW_OK)
            status = add_strategy(s, &choice, error);
    }
    return status;
}

static tw_status read_files(struct simulation *s, struct tw_error *error) {
    const struct word_list *files = &s->arguments->files;
    if (files->count == 0)
        return tw_fail(error, TW_INVALID,
                       "which recordings? give files that tune record or Kernel Tuner wrote");
    size_t count = (size_t)files->count;
    s->recordings = calloc(count, sizeof *s->recordings);
    s->baselines = calloc(count, sizeof *s->baselines);
    s->foresights = calloc(count, sizeof *s->foresights);
    s->assessments = calloc(count * (size_t)s->strategy_count, sizeof *s->assessments);
    s->replayed = calloc(count, sizeof *s->replayed);
    if (s->recordings == NULL || s->baselines == NULL || s->foresights == NULL ||
        s->assessments == NULL || s->replayed == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    for (int i = 0; i < files->count && status == TW_OK; i++, s->file_count++) {
        status =
            command_names_file(recording_read(&s->recordings[i], files->words[i], error), error);
        if (status != TW_OK)
            break;
        s->replayed[i] = (struct replayed){s->recordings[i], &s->baselines[i], &s->foresights[i],
                                           &s->assessments[i * s->strategy_count]};
        status = baseline_of(&s->baselines[i], s->recordings[i], error);
        if (status == TW_OK)
            status =
                foresight_of(&s->foresights[i], files->words[i], &s->kernels, s->installed, error);
    }
    return status;
}

/* As `tune` searches: what is known beforehand is for its default alone. */
static void tell(const struct simulation *s, int file, int strategy,
                 struct replay_options *options) {
    if (s->choices[strategy].kind != strategy_kinds()[0] || s->arguments->no_prior)
        return;
    options->expected = s->foresights[file].predicted;
    options->traits = s->foresights[file].traits;
    options->trait_count = PRIOR_TRAITS;
}

/* 0: whoever has a time tries what there is in it. */
static size_t most_trials(const struct arguments *a) {
    if (a->trials > 0)
        return (size_t)a->trials;
    return a->budget_given ? (size_t)a->budget_trials : TRIALS;
}

static tw_status replay(struct simulation *s, struct tw_error *error) {
    const struct arguments *a = s->arguments;
    const double seconds = a->budget_given ? a->budget_seconds : 0;
    const struct replay_request request = {.names = (const char *const *)s->names,
                                           .strategies = s->strategy_count,
                                           .seeds = (size_t)a->seeds,
                                           .options = {.trials = most_trials(a),
                                                       .seconds = seconds,
                                                       .outstanding = (size_t)a->outstanding}};
    tw_status status = TW_OK;
    for (int f = 0; f < s->file_count && status == TW_OK; f++) {
        for (int i = 0; i < s->strategy_count && status == TW_OK; i++) {
            struct replay_options options = request.options;
            if (options.trials == 0)
                options.trials = space_size(s->recordings[f]->space);
            tell(s, f, i, &options);
            status = assess(&s->assessments[f * s->strategy_count + i], s->recordings[f],
                            &s->baselines[f], &s->choices[i], request.seeds, &options, error);
        }
        if (status == TW_OK && !a->json)
            replay_print_file(&s->replayed[f], &request);
    }
    if (status == TW_OK && a->json)
        status = json_print(replay_json(s->replayed, s->file_count, &request), error);
    else if (status == TW_OK && s->file_count > 1)
        replay_print_summary(s->replayed, s->file_count, &request);
    return status;
}

static void print_help(void) {
    struct tw_text strategies = {0};
    strategy_list(&strategies, true);
    fputs(help, stdout);
    fputs(tw_text_or(&strategies, ""), stdout);
    tw_text_free(&strategies);
}

int command_simulate(int count, char **words) {
    struct arguments arguments;
    struct simulation simulation = {.arguments = &arguments};
    struct tw_error error;
    tw_status status = arguments_parse(&arguments, count, words,
                                       WORDS_ARE_FILES | OPTION(STRATEGY) | OPTION(SEEDS) |
                                           OPTION(TRIALS) | OPTION(BUDGET) | OPTION(OUTSTANDING) |
                                           OPTION(PRIOR) | OPTION(CONFIG) | OPTION(JSON),
                                       &error);
    if (status == TW_OK && arguments.help) {
        print_help();
    } else {
        if (status == TW_OK)
            status = choose(&simulation, &error);
        if (status == TW_OK)
            status =
                command_names_file(known_kernels_open(&simulation.kernels, arguments.configs.words,
                                                      arguments.configs.count, &error),
                                   &error);
        if (status == TW_OK)
            status = database_installed(&simulation.installed, &error);
        if (status == TW_OK)
            status = read_files(&simulation, &error);
        if (status == TW_OK)
            status = replay(&simulation, &error);
    }
    free_all(&simulation);
    arguments_free(&arguments);
    return status == TW_OK ? EXIT_FINE : command_failed(status, &error);
}
