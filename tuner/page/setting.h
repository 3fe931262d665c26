/* What a page knows besides the database: the kernels and devices of this program and machine. */
#ifndef TUNER_PAGE_SETTING_H
#define TUNER_PAGE_SETTING_H

#include "runtime/backend/backend.h"
#include "runtime/select/catalogue.h"
#include "tuner/exchange/known_kernels.h"
#include "tuner/page/material.h"

struct setting {
    const struct known_kernels *kernels;
    const struct tw_catalogue *catalogue;
    const struct tw_device_info *devices; /* of this machine */
    size_t device_count;
};

/* A subject's problem; TW_NOT_FOUND, with the reason, when its kernel is not known here or is
 * another one now. */
tw_status setting_problem(const struct setting *setting, const struct page_subject *subject,
                          struct tw_problem *problem, struct tw_error *error);

/* What is known of a device that results are of: all, when this machine has it (*here); else what
 * its row and its architecture tell. False when that is too little to choose a configuration for
 * it. */
bool setting_device(const struct setting *setting, const struct page_device *device,
                    struct tw_device_info *info, bool *here);

#endif
