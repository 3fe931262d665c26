/* What follows from what was seen of a machine. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/doctor/doctor.h"

/* Beyond which results are not to be trusted: what a binary may differ from itself. */
static const double MOST_NOISE = 0.01;
/* Others may keep so much of the host busy, as a share of its cores, where the device is a GPU and
 * where it is the host itself. */
static const double BUSY_HOST = 0.5, BUSY_DEVICE = 0.1;

static void find(struct diagnosis *d, bool serious, const char *to_do, const char *what) {
    if (d->finding_count == DOCTOR_MOST_FINDINGS)
        return;
    int at = d->finding_count++;
    for (; serious && at > 0 && !d->findings[at - 1].serious; at--)
        d->findings[at] = d->findings[at - 1];
    d->findings[at] = (struct finding){.serious = serious, .to_do = to_do};
    snprintf(d->findings[at].what, sizeof d->findings[at].what, "%s", what);
}

static void judge_device(struct diagnosis *d) {
    const struct tw_device_health *h = &d->health;
    char what[200];
    if (h->other_processes > 0) {
        snprintf(what, sizeof what, "%d other process%s on the device", h->other_processes,
                 h->other_processes == 1 ? " computes" : "es compute");
        find(d, true, "end them, or take another device", what);
    }
    if (h->mode == TW_MODE_PROHIBITED)
        find(d, true, "nvidia-smi -c DEFAULT allows it", "computing is prohibited on the device");
    if (h->slowed_by[0] != '\0') {
        snprintf(what, sizeof what, "the device is slowed down: %s", h->slowed_by);
        /* A cap of power is what many a kernel works under for good. */
        bool capped = strcmp(h->slowed_by, "power cap") == 0;
        find(d, !capped,
             capped ? "compare only what was measured together" : "let it cool, look at its supply",
             what);
    }
    if (h->persistence == 0)
        find(d, false, "nvidia-smi -pm 1 keeps the driver loaded",
             "persistence mode is off: clocks and the driver start anew with each program");
    if (h->mode == TW_MODE_SHARED)
        find(d, false, "nvidia-smi -c EXCLUSIVE_PROCESS keeps others out while you measure",
             "others may use the device at any time");
}

static void judge_host(struct diagnosis *d) {
    const struct host_load *h = &d->host;
    double share = d->device.is_cpu ? BUSY_DEVICE : BUSY_HOST;
    char what[200];
    if (h->other_cores > share * h->cores) {
        snprintf(what, sizeof what, "other processes keep %.1f of %d cores busy", h->other_cores,
                 h->cores);
        find(d, d->device.is_cpu, "end them, or wait", what);
    }
    if (h->quota_cores > 0 && h->quota_cores < h->cores) {
        snprintf(what, sizeof what, "only %.1f of %d cores may be used", h->quota_cores, h->cores);
        find(d, d->device.is_cpu, "lift the limit of the container", what);
    }
    if (d->device.is_cpu && h->governor[0] != '\0' && strcmp(h->governor, "performance") != 0) {
        snprintf(what, sizeof what, "the clocks' governor is %s", h->governor);
        find(d, false, "cpupower frequency-set -g performance holds them", what);
    }
}

void doctor_judge(struct diagnosis *d) {
    const struct statistics_interval *interval = &d->same.interval;
    d->finding_count = 0;
    d->noise = fmax(fabs(interval->low - 1), fabs(interval->high - 1));
    if (d->has_health)
        judge_device(d);
    judge_host(d);
    d->trusted = d->noise <= MOST_NOISE;
    for (int i = 0; i < d->finding_count; i++)
        d->trusted &= !d->findings[i].serious;
}

void doctor_verdict(const struct diagnosis *d, struct tw_text *text) {
    const struct finding *first = d->finding_count > 0 ? &d->findings[0] : NULL;
    if (d->trusted) {
        tw_text_print(text,
                      "results can be trusted: a binary differs from itself by %.2g%% at most",
                      100 * d->noise);
        return;
    }
    if (d->noise > MOST_NOISE)
        tw_text_print(text, "do not trust differences under %.2g%%", 100 * d->noise);
    else
        tw_text_print(text,
                      "do not trust results, though a binary differs from itself by only %.2g%%",
                      100 * d->noise);
    if (first != NULL)
        tw_text_print(text, ": %s; %s, and ask again", first->what, first->to_do);
    else
        tw_text_print(text, ": it is not known what disturbs; measure again with more --rounds, at "
                            "another time");
}
