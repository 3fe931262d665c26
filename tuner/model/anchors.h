/* Internal to the room: what an earlier model is held to where trees are added to it. Trees say
 * something of all problems of their kinds, and what is recorded are some of them. */
#ifndef TUNER_MODEL_ANCHORS_H
#define TUNER_MODEL_ANCHORS_H

#include "tuner/model/reading.h"

/* Adds samples to those that are read: of kinds of problems that have no trials and are grown all
 * the same, what the earlier model says; of configurations on problems that its file names, what
 * was measured there; of problems that it knows and that are far from all that was recorded, what
 * it says. What the samples' estimates are is what both of its forests say. TW_NO_MEMORY is the
 * only failure. */
tw_status anchors_add(struct reading *reading);

#endif
