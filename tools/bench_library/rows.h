/* A database with many results, as a team has that tuned for long. */
#ifndef TOOLS_BENCH_LIBRARY_ROWS_H
#define TOOLS_BENCH_LIBRARY_ROWS_H

#include "runtime/backend/backend.h"

enum { ROWS = 100000 };

/* Writes a new database with ROWS results for f32 products on a device: sides from 16 to 8192,
 * evenly spread in their logarithms, each with one of the presets that fit. Nothing was measured:
 * the times are those of 40 TFLOP/s and 3 us. Ends the program, with a line, where it fails. */
void rows_write(const char *path, const struct tw_device_info *device);

#endif
