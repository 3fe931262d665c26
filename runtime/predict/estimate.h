/* How long a configuration takes on a problem, worked out and not measured: from what a device says
 * of itself and a few numbers that hold for any. The figures are rough, and what they are for is
 * ratios: between two problems of one configuration, or two configurations of one problem. */
#ifndef TW_PREDICT_ESTIMATE_H
#define TW_PREDICT_ESTIMATE_H

#include "runtime/predict/features.h"

/* Microseconds. */
struct tw_estimate {
    double compute;  /* of the busiest unit */
    double memory;   /* of the device's memory */
    double overhead; /* of launches, and of rounds of blocks that begin */
};

void tw_estimate_of(const struct tw_features *features, const struct tw_device_info *device,
                    struct tw_estimate *estimate);
/* What they come to. */
double tw_estimate_total(const struct tw_estimate *estimate);

/* The time on another problem of a configuration that took `measured` microseconds on one: `there`
 * is the estimate where it was measured, `here` where it is asked for. */
double tw_estimate_scaled(double measured, const struct tw_estimate *there,
                          const struct tw_estimate *here);

#endif
