#ifndef TUNER_WORKERS_DEVICE_WORKER_H
#define TUNER_WORKERS_DEVICE_WORKER_H

/* The body of the hidden subcommand "device-worker"; returns the exit status.
 *
 * Takes an assignment with {cache, seed} and answers "ready" {copy_us, reference_s, conditions} or
 * "failed" {message}. Then answers "trial" {implementation, configuration, sizes, best_us} with
 * binaries by "result" {status, message, lost, times_us, screened_out, max_rel_error,
 * rms_rel_error, hard_max_error, hard_rms_error}; "finalist" {..., first} with binaries, which
 * loads one more finalist or, once all are forgotten, the first, by "finalist" {status, message,
 * lost}; "round" {order: [finalist, ...]} by "round" {status, message, lost, times_us}, a repeat of
 * each; "call" {alignment, strides}, which forgets finalists and makes data for such a call, by
 * "call" {status, message, lost}; from then on "verify", a trial that is not timed, is of that
 * call. After `lost` the worker is of no more use.
 *
 * While it answers "trial", "verify" and "finalist" it says "loading" before the first launch of
 * each kernel, in which the driver may compile, and "running" once the device runs it. */
int device_worker(void);

#endif
