/* tune-mpi: a list of problems tuned by the ranks of an MPI job, each on a GPU of its own. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/printable.h"
#include "runtime/tilewise.h"
#include "tools/tune_mpi/mpi_post.h"
#include "tuner/cluster/coordinator.h"
#include "tuner/cluster/rank.h"
#include "tuner/commands/command.h"
#include "tuner/json/json.h"

static const char help[] =
    "mpirun -n RANKS tune-mpi [KERNEL] --shapes FILE --db FILE [OPTIONS]\n"
    "\n"
    "Tunes the problems of a list with the ranks of an MPI job, on one machine or many. Each rank\n"
    "takes the GPU of its number among those of its machine, and the next problem as soon as it "
    "is\n"
    "free; what it finds is merged into one database by rank 0.\n"
    "\n"
    "  --shape, --shapes, --dtype, --trans, --attr, --budget, --strategy, --seed, --fix, --cache,\n"
    "  --config, --trial-limit, --compile-limit: as for tune\n"
    "  --db FILE            where rank 0 brings all results together\n"
    "  --device ID          every rank uses this device\n"
    "  --devices LIST       the devices of a machine that its ranks take, as for tune; default:\n"
    "                       those like the one that tune would take\n"
    "  --jobs N             compiling processes of each rank; default: its part of the cores\n"
    "  --local FOLDER       where ranks keep databases of their own, on each machine's own disk;\n"
    "                       default: tilewise-mpi-UID in TMPDIR, else in /tmp\n"
    "  --lost-after TIME    a rank that is silent for so long is taken for lost, and its problem\n"
    "                       given to another; default 30s\n"
    "  --json               print an array of what tune --json prints, at the end\n"
    "  --version            say which version this is, and of which MPI\n"
    "\n"
    "A job that was killed goes on with the same command. What such a command has done is not\n"
    "searched again, unless with another --seed. A rank that dies takes the job along unless MPI "
    "is\n"
    "told otherwise: mpirun --enable-recovery (Open MPI 4), --with-ft=ulfm (5), mpiexec\n"
    "-disable-auto-cleanup (MPICH). Ranks that Open MPI binds to one core compile on one core:\n"
    "mpirun --bind-to none.\n";

enum { LOOK_US = 5000 };

static int failed(tw_status status, const struct tw_error *error) {
    tw_printable_line(stderr, "tune-mpi: %s", error->message);
    return status == TW_INVALID || status == TW_BAD_DESCRIPTION || status == TW_NOT_FOUND
               ? EXIT_USAGE
               : EXIT_FAILED;
}

static tw_status parse(struct arguments *arguments, int count, char **words,
                       struct tw_error *error) {
    tw_status status = arguments_parse(
        arguments, count, words,
        OPTIONS_SUBJECT | OPTION(DEVICES) | OPTION(FIX) | OPTION(SHAPES) | OPTION(BUDGET) |
            OPTION(STRATEGY) | OPTION(SEED) | OPTION(JOBS) | OPTION(TRIAL_LIMIT) |
            OPTION(COMPILE_LIMIT) | OPTION(JSON) | OPTION(LOCAL) | OPTION(LOST_AFTER),
        error);
    if (status != TW_OK || arguments->help)
        return status;
    if (arguments->shape_count == 0)
        return tw_fail(error, TW_INVALID, "what shapes? give --shapes FILE; see --help");
    for (int i = 0; i < arguments->attribute_count; i++)
        if (strcmp(arguments->attributes[i], "compute=any") == 0)
            return tw_fail(error, TW_INVALID,
                           "--compute any is tune's alone; a list has a line for each promise, as "
                           "in 512x512x512 compute=tf32");
    if (arguments->device != NULL && arguments->devices != NULL)
        return tw_fail(error, TW_INVALID, "give --device or --devices, not both");
    return TW_OK;
}

/* Everything that has arrived. */
static tw_status take_all(struct post *post, struct rank *rank, struct coordinator *coordinator,
                          struct tw_error *error) {
    int from;
    enum post_kind kind;
    char *text;
    tw_status status = TW_OK;
    while (status == TW_OK && post->take(post, &from, &kind, &text)) {
        bool for_coordinator = kind == POST_HELLO || kind == POST_RESULT || kind == POST_NOTE ||
                               (kind == POST_ALIVE && post->rank == 0);
        if (!for_coordinator)
            rank_take(rank, from, kind, text);
        else if (coordinator != NULL)
            status = coordinator_take(coordinator, from, kind, text, error);
        free(text);
    }
    return status;
}

/* Rank 0's command line is the one that counts: others may not see its files. */
static int lead(int count, char **words, struct post *post, struct rank *rank) {
    struct arguments arguments;
    struct coordinator *coordinator = NULL;
    struct tw_error error;
    bool complete = false;
    tw_status status = parse(&arguments, count, words, &error);
    if (status == TW_OK)
        status = coordinator_create(&coordinator, &arguments, post, &error);
    while (status == TW_OK && !coordinator_is_over(coordinator)) {
        status = take_all(post, rank, coordinator, &error);
        coordinator_step(coordinator);
        rank_step(rank);
        usleep(LOOK_US);
    }
    if (status == TW_OK)
        complete = coordinator_finish(coordinator);
    else
        for (int i = 0; i < post->ranks; i++)
            post->send(post, i, POST_OVER, "{}");
    int code = status != TW_OK ? failed(status, &error) : complete ? EXIT_FINE : EXIT_FAILED;
    while (rank->activity != RANK_IS_OVER) {
        struct tw_error unheard;
        take_all(post, rank, NULL, &unheard);
        usleep(LOOK_US);
    }
    coordinator_free(coordinator);
    arguments_free(&arguments);
    return code;
}

static int follow(struct post *post, struct rank *rank) {
    while (rank->activity != RANK_IS_OVER) {
        struct tw_error error;
        take_all(post, rank, NULL, &error);
        rank_step(rank);
        usleep(LOOK_US);
    }
    return EXIT_FINE;
}

static int run(int count, char **words) {
    struct post post;
    struct rank rank;
    if (!mpi_post_open(&post)) {
        fputs("tune-mpi: out of memory\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    }
    rank_begin(&rank, &post);
    int code = post.rank == 0 ? lead(count, words, &post, &rank) : follow(&post, &rank);
    bool lost = rank.lost;
    rank_end(&rank);
    fflush(stdout);
    mpi_post_close(&post, 5);
    /* MPI_Finalize waits for all. */
    if (lost)
        _exit(code);
    MPI_Finalize();
    return code;
}

/* Without MPI being started, so that they work without mpirun. */
static int tell_version(void) {
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(mpi, &length);
    printf("tune-mpi %s\n  MPI             %.*s\n", tw_version(), (int)strcspn(mpi, "\n,"), mpi);
    return EXIT_FINE;
}

int main(int count, char **words) {
    json_watch_memory();
    if (count > 1 && strcmp(words[1], "complete") == 0)
        return complete_for(help, count - 1, words + 1);
    if (count == 2 && strcmp(words[1], "--version") == 0)
        return tell_version();
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            fputs(help, stdout);
            return EXIT_FINE;
        }
    MPI_Init(&count, &words);
    return run(count, words);
}
