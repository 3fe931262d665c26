/* What --devices names: "cuda:0-3", "cuda:0,2", "cuda,opencl:1", "all". */
#ifndef TUNER_COMMANDS_DEVICE_LIST_H
#define TUNER_COMMANDS_DEVICE_LIST_H

#include "runtime/backend/backend.h"

enum { DEVICE_LIST_MOST = 64 };

/* Devices of a machine, those of one kind side by side: those that results of one hold for too, in
 * order of the first of each. */
struct device_list {
    int count;
    struct tw_device_info devices[DEVICE_LIST_MOST];
};

/* Finds the devices that `words` names among the machine's. A backend's name stands for all of its
 * devices; "all" for all GPUs, each through one backend only, or where there is none for all CPUs.
 * A device that is not there, or that is named twice, is TW_INVALID or TW_NOT_FOUND with a line
 * that says which. */
tw_status device_list_choose(struct device_list *list, const struct tw_device_info *there,
                             size_t count, const char *words, struct tw_error *error);
/* The same among the devices of this machine. */
tw_status device_list_find(struct device_list *list, const char *words, struct tw_error *error);

/* How many devices from the one at `first` on are of its kind. */
int device_list_alike(const struct device_list *list, int first);

#endif
