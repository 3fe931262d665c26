#ifndef TUNER_WORKERS_COMPILE_WORKER_H
#define TUNER_WORKERS_COMPILE_WORKER_H

/* The body of the hidden subcommand "compile-worker"; returns the exit status. Takes an assignment
 * with the device, then answers each "compile" (compile_request.h) by a "compiled" {id, status,
 * message, compile_ms, registers, spill_bytes, sizes} whose bytes are the binaries. */
int compile_worker(void);

#endif
