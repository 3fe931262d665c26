#include "tools/bench/report.h"

/* A field in quotes, as RFC 4180 has it. */
static void print_text(const char *text, FILE *file) {
    fputc('"', file);
    for (; text != NULL && *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void print_outcome(const struct report *report, const struct contest *contest,
                          const struct outcome *o, FILE *file) {
    const char *unit;
    fprintf(file, "%s,%s,", report->stage->info.id, report->cache);
    fprintf(file, "%s,", contest->task.description->kernel);
    print_text(contest->task.key, file);
    fprintf(file, ",%s,%s,", o->entry->contender->name, role_name(o->entry->role));
    if (outcome_timed(o)) {
        fprintf(file, "%.6g,%.6g,%.6g,%d,%d,", 1e6 * o->median, 1e6 * o->low, 1e6 * o->high,
                contest->rounds, o->calls);
        double rate = tw_work_rate(&contest->task.work, o->median, &unit);
        fprintf(file, "%.6g,%s,", rate, unit);
    } else {
        fprintf(file, ",,,,,,,");
    }
    if (outcome_timed(o) && contest->ours != NULL)
        fprintf(file, "%.6g,%.6g,%.6g,", o->ratio, o->ratio_low, o->ratio_high);
    else
        fprintf(file, ",,,");
    if (outcome_timed(o) && o->compared)
        fprintf(file, "%.6g,%.6g,", o->errors.max, o->errors.rms);
    else
        fprintf(file, ",,");
    if (outcome_timed(o))
        fprintf(file, "%.6g,%d,", 1e6 * o->queueing, o->late);
    else
        fprintf(file, ",,");
    if (o->entry->role == ROLE_OURS && contest->plan != NULL) {
        fprintf(file, "%s,%s,", contest->plan->rule, contest->plan->implementation);
        print_text(contest->plan->configuration, file);
        fputc(',', file);
    } else {
        fprintf(file, ",,,");
    }
    print_text(outcome_timed(o) ? o->detail.data : o->failure.message, file);
    fputc('\n', file);
}

void report_as_csv(const struct report *report, FILE *file) {
    fprintf(file,
            "device,cache,kernel,problem,contender,role,median_us,low_us,high_us,rounds,calls,"
            "rate,unit,ratio,ratio_low,ratio_high,max_error,rms_error,queueing_us,late,rule,"
            "implementation,"
            "configuration,note\n");
    for (int i = 0; i < report->count; i++)
        for (int j = 0; j < report->contests[i].count; j++)
            print_outcome(report, &report->contests[i], &report->contests[i].outcomes[j], file);
}
