/* tune complete WORDS...: what the last of the words after `tune` may become, a line each. Shells'
 * completions ask it, so that what can be said is known in one place: of options that is --help's
 * text. Nothing is printed where a file may stand, and nothing said of mistakes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/store.h"
#include "runtime/backend/devices.h"
#include "runtime/base/text.h"
#include "runtime/description/builtin.h"
#include "runtime/description/problem.h"
#include "tuner/commands/arguments.h"
#include "tuner/commands/command.h"
#include "tuner/search/strategy.h"

enum { MOST_KERNELS = 256, MOST_WORD = 64 };

struct completion {
    const char *command; /* "tune" for tuning itself */
    const char *help;    /* of another program; NULL: the command's */
    int count;           /* words before the last, without the command */
    char **words;
    const char *partial; /* the last */
    struct tw_text offered;
};

static void offer(struct completion *c, const char *word) {
    if (strncmp(word, c->partial, strlen(c->partial)) == 0)
        tw_text_print(&c->offered, "%s\n", word);
}

static void offer_pair(struct completion *c, const char *name, const char *value) {
    char word[2 * MOST_WORD];
    snprintf(word, sizeof word, "%s=%s", name, value);
    offer(c, word);
}

/* ---- From descriptions ---- */

static void offer_kernels(struct completion *c) {
    const char *names[MOST_KERNELS];
    size_t count = tw_builtin_kernels(names, MOST_KERNELS);
    for (size_t i = 0; i < count; i++)
        offer(c, names[i]);
}

static bool is_kernel(const char *word) {
    char path[MOST_WORD + 16];
    snprintf(path, sizeof path, "configs/%.*s.json", MOST_WORD, word);
    return tw_builtin_file(path) != NULL;
}

/* The kernel that is spoken of, or gemm; the caller frees. NULL: its description cannot be read. */
static struct tw_description *kernel_of(const struct completion *c) {
    struct tw_description *d = NULL;
    struct tw_error error;
    const char *kernel = "gemm", *file = NULL;
    for (int i = 0; i < c->count; i++) {
        if (i > 0 && strcmp(c->words[i - 1], "--config") == 0)
            file = c->words[i];
        else if ((i == 0 || !arguments_takes_value(c->words[i - 1])) && is_kernel(c->words[i]))
            kernel = c->words[i];
    }
    if (file != NULL)
        (void)tw_description_load(&d, file, &error);
    else
        (void)tw_description_builtin(&d, kernel, &error);
    return d;
}

static void offer_presets(struct completion *c, const struct tw_description *d) {
    for (int i = 0; i < d->implementation_count; i++)
        for (int j = 0; j < d->implementations[i].preset_count; j++)
            offer(c, d->implementations[i].presets[j].name);
}

static void offer_implementations(struct completion *c, const struct tw_description *d) {
    for (int i = 0; i < d->implementation_count; i++)
        offer(c, d->implementations[i].name);
}

/* The words of the attribute `name`; with NULL those of all, as NAME=WORD. */
static void offer_attributes(struct completion *c, const struct tw_description *d,
                             const char *name) {
    for (int i = 0; i < d->attribute_count; i++) {
        const struct tw_attribute *a = &d->attributes[i];
        for (int j = 0; j < a->word_count && !a->is_number; j++) {
            const char *word = d->symbols.words[a->words[j]];
            if (name == NULL)
                offer_pair(c, a->name, word);
            else if (strcmp(name, a->name) == 0)
                offer(c, word);
        }
    }
}

/* As --compute has them: what nothing asks for is called f32 there, and tuning takes them all. */
static void offer_promises(struct completion *c, const struct tw_description *d) {
    for (int i = 0; i < d->attribute_count; i++) {
        const struct tw_attribute *a = &d->attributes[i];
        if (strcmp(a->name, "compute") != 0 || a->is_number)
            continue;
        for (int j = 0; j < a->word_count; j++) {
            const char *word = d->symbols.words[a->words[j]];
            offer(c, strcmp(word, "default") == 0 ? "f32" : word);
        }
        if (strcmp(c->command, "tune") == 0)
            offer(c, "any");
    }
}

/* NAME=VALUE of all parameters, each once: implementations share most. */
static void offer_parameters(struct completion *c, const struct tw_description *d) {
    struct tw_text before = {0};
    for (int i = 0; i < d->implementation_count; i++)
        for (int j = 0; j < d->implementations[i].parameter_count; j++) {
            const struct tw_parameter *p = &d->implementations[i].parameters[j];
            for (int k = 0; k < p->count; k++) {
                char word[2 * MOST_WORD], number[32];
                snprintf(number, sizeof number, "%lld", (long long)p->values[k]);
                snprintf(word, sizeof word, "\n%s=%s\n", p->name,
                         p->is_word ? d->implementations[i].symbols->words[p->values[k]] : number);
                if (strstr(tw_text_or(&before, ""), word) != NULL)
                    continue;
                tw_text_print(&before, "%s", word);
                word[strlen(word) - 1] = '\0';
                offer(c, word + 1);
            }
        }
    tw_text_free(&before);
}

/* ---- Values of options ---- */

static void offer_devices(struct completion *c) {
    struct tw_device_info *devices;
    size_t count;
    struct tw_error error;
    if (tw_devices_list(&devices, &count, NULL, &error) != TW_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(devices[i].backend, devices[i - 1].backend) != 0)
            offer(c, devices[i].backend);
        offer(c, devices[i].id);
    }
    free(devices);
}

static void offer_words(struct completion *c, const char *const *words) {
    for (int i = 0; words[i] != NULL; i++)
        offer(c, words[i]);
}

static void offer_statuses(struct completion *c) {
    offer(c, "failed");
    for (int i = 0; i < TW_DB_TRIAL_STATUS_COUNT; i++)
        offer(c, tw_db_trial_status_text((enum tw_db_trial_status)i));
}

static void offer_strategies(struct completion *c) {
    for (const struct strategy_kind *const *kind = strategy_kinds(); *kind != NULL; kind++)
        offer(c, (*kind)->name);
}

static void offer_of_kernel(struct completion *c, const char *option) {
    struct tw_description *d = kernel_of(c);
    if (d == NULL)
        return;
    if (strcmp(option, "preset") == 0)
        offer_presets(c, d);
    else if (strcmp(option, "implementation") == 0)
        offer_implementations(c, d);
    else if (strcmp(option, "fix") == 0)
        offer_parameters(c, d);
    else if (strcmp(option, "attr") == 0)
        offer_attributes(c, d, NULL);
    else if (strcmp(option, "compute") == 0)
        offer_promises(c, d);
    else
        offer_attributes(c, d, option);
    tw_description_free(d);
}

static void offer_values(struct completion *c, const char *option) {
    static const char *const caches[] = {"cold", "warm", NULL};
    static const char *const switches[] = {"on", "off", NULL};
    static const char *const formats[] = {"json", "kernel-tuner", "t4", NULL};
    static const char *const of_kernels[] = {"preset", "implementation", "fix",    "attr",
                                             "dtype",  "trans",          "compute"};
    if (strcmp(option, "devices") == 0)
        offer(c, "all");
    if (strcmp(option, "device") == 0 || strcmp(option, "devices") == 0)
        offer_devices(c);
    else if (strcmp(option, "kernel") == 0)
        offer_kernels(c);
    else if (strcmp(option, "cache") == 0)
        offer_words(c, caches);
    else if (strcmp(option, "prior") == 0)
        offer_words(c, switches);
    else if (strcmp(option, "format") == 0)
        offer_words(c, formats);
    else if (strcmp(option, "strategy") == 0)
        offer_strategies(c);
    else if (strcmp(option, "status") == 0)
        offer_statuses(c);
    for (size_t i = 0; i < sizeof of_kernels / sizeof *of_kernels; i++)
        if (strcmp(option, of_kernels[i]) == 0)
            offer_of_kernel(c, option);
}

/* ---- From the text of --help ---- */

static int print_help(const struct completion *c) {
    char name[MOST_WORD], option[] = "--help";
    char *words[] = {name, option, NULL};
    snprintf(name, sizeof name, "%s", c->command);
    const struct command *command = command_find(c->command);
    return command != NULL ? command->run(2, words) : command_tune(2, words);
}

/* What a command prints with --help, caught in a file; false when that could not be. */
static bool read_help(const struct completion *c, struct tw_text *text) {
    char buffer[4096];
    size_t length;
    FILE *file = tmpfile();
    int out = dup(STDOUT_FILENO);
    bool caught =
        file != NULL && out >= 0 && fflush(stdout) == 0 && dup2(fileno(file), STDOUT_FILENO) >= 0;
    if (caught) {
        (void)print_help(c);
        caught = fflush(stdout) == 0;
        (void)dup2(out, STDOUT_FILENO);
        rewind(file);
        while ((length = fread(buffer, 1, sizeof buffer, file)) > 0)
            tw_text_add(text, buffer, length);
    }
    if (out >= 0)
        close(out);
    if (file != NULL)
        fclose(file);
    return caught && text->data != NULL && !text->failed;
}

/* Offers the word at `at`, unless it was before. */
static void offer_from(struct completion *c, const char *at, size_t length) {
    char word[MOST_WORD], line[MOST_WORD + 2];
    if (length >= sizeof word)
        return;
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    snprintf(line, sizeof line, "\n%s\n", word);
    const char *offered = tw_text_or(&c->offered, "");
    bool first = strncmp(offered, line + 1, strlen(line) - 1) == 0;
    if (!first && strstr(offered, line) == NULL)
        offer(c, word);
}

static void offer_options(struct completion *c, const char *text) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
    for (const char *at = strstr(text, "--"); at != NULL; at = strstr(at, "--")) {
        size_t length = strspn(at, letters);
        if (length > 2 && isalpha((unsigned char)at[2]))
            offer_from(c, at, length);
        at += length;
    }
    offer(c, "--help");
}

/* Lines such as "tune db merge OTHER.db...", and whether a kernel is taken. */
static void offer_plain(struct completion *c, const char *text) {
    char begin[MOST_WORD];
    snprintf(begin, sizeof begin, "tune %s ", c->command);
    bool nested = false;
    for (const char *at = strstr(text, begin); at != NULL; at = strstr(at + 1, begin)) {
        const char *word = at + strlen(begin);
        size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz");
        if ((at == text || at[-1] == '\n') && length > 0) {
            nested = true;
            if (c->count == 0)
                offer_from(c, word, length);
        }
    }
    if (!nested && strstr(text, "[KERNEL") != NULL)
        offer_kernels(c);
}

static void complete_word(struct completion *c) {
    struct tw_text text = {0};
    const char *before = c->count > 0 ? c->words[c->count - 1] : "";
    if (arguments_takes_value(before)) {
        offer_values(c, before + strspn(before, "-"));
        return;
    }
    if (c->help != NULL)
        tw_text_print(&text, "%s", c->help);
    if (c->help != NULL ? text.data != NULL && !text.failed : read_help(c, &text)) {
        if (c->partial[0] == '-')
            offer_options(c, text.data);
        else
            offer_plain(c, text.data);
    }
    tw_text_free(&text);
}

static int reply(struct completion *c) {
    fputs(tw_text_or(&c->offered, ""), stdout);
    tw_text_free(&c->offered);
    return EXIT_FINE;
}

static void offer_commands(struct completion *c) {
    for (const struct command *command = commands; command->name != NULL; command++)
        offer(c, command->name);
}

int command_complete(int count, char **words) {
    struct completion c = {.command = "tune", .words = words + 1, .count = count - 2};
    if (count < 2)
        return EXIT_USAGE;
    c.partial = words[count - 1];
    if (c.count > 0 && strcmp(c.words[0], "help") == 0) {
        if (c.count == 1)
            offer_commands(&c);
        return reply(&c);
    }
    if (c.count > 0 && command_find(c.words[0]) != NULL) {
        c.command = c.words[0];
        c.words++;
        c.count--;
    } else if (c.count == 0) {
        offer_commands(&c);
        offer(&c, "help");
        offer(&c, "--version");
    }
    complete_word(&c);
    return reply(&c);
}

int complete_for(const char *help, int count, char **words) {
    struct completion c = {.command = "tune", .help = help, .words = words + 1, .count = count - 2};
    if (count < 2)
        return EXIT_USAGE;
    c.partial = words[count - 1];
    complete_word(&c);
    return reply(&c);
}
