/* What came of a comparison, for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/printable.h"
#include "tuner/compare/compare.h"
#include "tuner/report/report.h"

static const char *verdict_text(const struct ratio *ratio) {
    switch (ratio_verdict(ratio)) {
    case RATIO_LESS:
        return "faster";
    case RATIO_MORE:
        return "slower";
    case RATIO_EQUAL:
        return "as fast";
    default:
        return "not told apart";
    }
}

static void print_ratio(const struct ratio *ratio) {
    printf("%6.3fx (%.3f to %.3f)", ratio->median, ratio->interval.low, ratio->interval.high);
}

static void print_name(const struct terminal *terminal, const struct compare_sides *sides,
                       int problem) {
    char text[TW_PROBLEM_KEY_SIZE];
    const struct tw_problem *p = &sides->problems[problem].problem;
    tw_problem_text(p, text);
    terminal_print(terminal, INK_STRONG, 0, p->description->kernel);
    printf(" ");
    terminal_print(terminal, INK_STRONG, 0, text);
}

/* Sides by their time, those without one last. */
static void sort_sides(const struct compare_sides *sides, const struct compared_problem *problem,
                       int order[COMPARE_MAX_SIDES]) {
    for (int i = 0; i < sides->count; i++) {
        const struct compared_side *side = &problem->sides[i];
        int at = i;
        for (; at > 0 && side->measured; at--) {
            const struct compared_side *before = &problem->sides[order[at - 1]];
            if (before->measured && before->time_us <= side->time_us)
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

static void print_side(const struct terminal *terminal, const struct compare_sides *sides,
                       const struct compared_problem *problem, int which) {
    const struct compare_entry *entry = &sides->problems[problem->problem].entries[which];
    const struct compared_side *side = &problem->sides[which];
    char time[32];
    printf("  %c  ", compare_letter(which));
    if (!side->measured) {
        const char *why = entry->has ? side->failure : entry->why_not;
        terminal_print(terminal, INK_BAD, 0, why[0] != '\0' ? why : "has no result");
        printf("\n");
        return;
    }
    report_time(side->time_us, time);
    const struct ratio *ratio = sides->count == 2 ? &side->over_first : &side->over_best;
    if (side->same_as != which) {
        printf("%-10s the same configuration as %c\n", time, compare_letter(side->same_as));
    } else if (sides->count > 2 && which == problem->best) {
        printf("%-10s the best\n", time);
    } else if (which == 0 && sides->count == 2) {
        printf("%s\n", time);
    } else if (ratio->rounds == 0) {
        printf("%-10s nothing to compare it with\n", time);
    } else {
        printf("%-10s ", time);
        print_ratio(ratio);
        printf(" %s\n", verdict_text(ratio));
    }
}

static void print_problem(const struct terminal *terminal, const struct compare_sides *sides,
                          const struct compared_problem *problem) {
    int order[COMPARE_MAX_SIDES];
    print_name(terminal, sides, problem->problem);
    printf("\n");
    for (int i = 0; i < sides->count; i++)
        order[i] = i;
    if (sides->count > 2)
        sort_sides(sides, problem, order);
    for (int i = 0; i < sides->count; i++)
        print_side(terminal, sides, problem, order[i]);
    if (sides->count > 2 && problem->best >= 0)
        printf("  of %d sides %d are within 1%% of the best, %d within 3%%\n", sides->count,
               compare_within(sides, problem, 0.01), compare_within(sides, problem, 0.03));
}

/* Two sides: who is faster on how many problems. */
static void print_score(const struct comparison_result *r) {
    int counts[4] = {0};
    for (int p = 0; p < r->count; p++)
        if (r->problems[p].sides[0].measured && r->problems[p].sides[1].measured)
            counts[ratio_verdict(&r->problems[p].sides[1].over_first)]++;
    printf("A is faster on %d, B on %d; as fast on %d, not told apart on %d\n", counts[RATIO_MORE],
           counts[RATIO_LESS], counts[RATIO_EQUAL], counts[RATIO_UNKNOWN]);
}

static void print_means(const struct compare_sides *sides, const struct comparison_result *r) {
    if (r->common == 0)
        return;
    printf("geometric mean of %d problem%s\n", r->common, r->common == 1 ? "" : "s");
    for (int i = sides->count == 2; i < sides->count; i++) {
        printf("  %c  ", compare_letter(i));
        print_ratio(sides->count == 2 ? &r->means[i].over_first : &r->means[i].over_best);
        printf(" %s\n", sides->count == 2 ? "as long as A" : "as long as the best of each");
    }
}

/* Problems that fewer than two sides have. */
static void print_alone(const struct terminal *terminal, const struct compare_sides *sides) {
    for (int p = 0; p < sides->problem_count; p++) {
        int only;
        int count = compare_entries(sides, p, &only);
        if (count > 1)
            continue;
        print_name(terminal, sides, p);
        if (count == 1)
            printf(": only %c has a result", compare_letter(only));
        else
            printf(": no side has a result");
        for (int i = 0; i < sides->count; i++)
            if (sides->problems[p].entries[i].why_not[0] != '\0')
                printf("; that of %c cannot be used: %s", compare_letter(i),
                       sides->problems[p].entries[i].why_not);
        printf("\n");
    }
}

void compare_print_table(const struct compare_sides *sides, const char *const *words,
                         const struct comparison_result *r) {
    const struct terminal terminal = terminal_of(stdout);
    for (int i = 0; i < sides->count; i++)
        tw_printable_line(stdout, "%c  %s", compare_letter(i), words[i]);
    printf("on %s (%s), %s cache%s\n", sides->device->name, sides->device->id, sides->cache,
           r->count > 0 ? "; the ratio of times in interleaved rounds, with its 95% interval" : "");
    for (int p = 0; p < r->count; p++)
        print_problem(&terminal, sides, &r->problems[p]);
    if (r->count > 0) {
        if (sides->count == 2)
            print_score(r);
        print_means(sides, r);
    }
    print_alone(&terminal, sides);
    if (r->interrupted)
        printf("interrupted: what was not measured is left out\n");
}
