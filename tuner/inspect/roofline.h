/* What the device's arithmetic and memory allow a problem at best (Williams, Waterman and
 * Patterson, "Roofline", 2009). */
#ifndef TUNER_INSPECT_ROOFLINE_H
#define TUNER_INSPECT_ROOFLINE_H

#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"

enum roofline_bound { ROOFLINE_UNKNOWN, ROOFLINE_ARITHMETIC, ROOFLINE_MEMORY };

struct roofline {
    struct tw_work work;
    double intensity; /* flops a byte; 0: the kernel moves data */
    int lanes;        /* multiply-adds of the problem's types a cycle and SM; 0: not known */
    double peak;      /* flops a second; 0: not known */
    double bandwidth; /* bytes a second; 0: not known */
    enum roofline_bound bound;
    double bound_us; /* no call can take less, if it does the work that the description says */
};

void roofline_of(const struct tw_device_info *device, const struct tw_problem *problem,
                 const struct tw_work *work, struct roofline *roofline);

/* Multiply-adds that an SM of an architecture (90 for sm_90) finishes in a cycle, of f32 or f64; 0
 * when that is not known. */
int roofline_lanes(int arch, enum tw_type type);

/* The most that multiply-adds can reach of their peak rate when they are such a share of the
 * instructions: each quarter of an SM issues one instruction a cycle, for a warp. */
double roofline_issue_bound(double share, int lanes);

#endif
