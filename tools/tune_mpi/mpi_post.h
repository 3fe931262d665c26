/* MPI as what carries messages between ranks. */
#ifndef TOOLS_TUNE_MPI_MPI_POST_H
#define TOOLS_TUNE_MPI_MPI_POST_H

#include "tuner/cluster/post.h"

/* After MPI_Init; false for want of memory. */
bool mpi_post_open(struct post *post);
/* Waits for what was sent to leave, at most `seconds`. */
void mpi_post_close(struct post *post, double seconds);

#endif
