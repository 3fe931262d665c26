#include "tools/tune_mpi/mpi_post.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/clock.h"

/* A message that has been announced and does not arrive is of a rank that is gone. */
static const double ARRIVAL_SECONDS = 20;
enum { LOOK_US = 1000 };

/* On its way; MPI reads the text until it is there. */
struct sending {
    MPI_Request request;
    struct sending *next;
    char text[];
};

struct carrier {
    struct sending *sendings;
};

/* What has arrived, or cannot any more, is forgotten. */
static void sweep(struct carrier *carrier) {
    for (struct sending **at = &carrier->sendings; *at != NULL;) {
        struct sending *one = *at;
        int gone = 0;
        if (MPI_Test(&one->request, &gone, MPI_STATUS_IGNORE) == MPI_SUCCESS && !gone) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        free(one);
    }
}

static void send_text(struct post *post, int to, enum post_kind kind, const char *text) {
    struct carrier *carrier = post->carrier;
    size_t length = strlen(text);
    sweep(carrier);
    struct sending *one = malloc(sizeof *one + length + 1);
    if (one == NULL)
        return;
    memcpy(one->text, text, length + 1);
    if (MPI_Isend(one->text, (int)length, MPI_CHAR, to, (int)kind, MPI_COMM_WORLD, &one->request) !=
        MPI_SUCCESS) {
        free(one);
        return;
    }
    one->next = carrier->sendings;
    carrier->sendings = one;
}

static bool arrives(MPI_Request *request) {
    double deadline = tw_clock_now() + ARRIVAL_SECONDS;
    int done = 0;
    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        if (tw_clock_now() > deadline)
            return false;
        usleep(LOOK_US);
    }
    return done != 0;
}

static bool take_text(struct post *post, int *from, enum post_kind *kind, char **text) {
    MPI_Status status;
    MPI_Request request;
    int there = 0, length = 0;
    sweep(post->carrier);
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS ||
        !there || MPI_Get_count(&status, MPI_CHAR, &length) != MPI_SUCCESS)
        return false;
    char *bytes = malloc((size_t)length + 1);
    if (bytes == NULL)
        return false;
    if (MPI_Irecv(bytes, length, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                  &request) != MPI_SUCCESS) {
        free(bytes);
        return false;
    }
    /* MPI may yet write to what it was given, so that is not freed. */
    if (!arrives(&request))
        return false;
    bytes[length] = '\0';
    *from = status.MPI_SOURCE;
    *kind = (enum post_kind)status.MPI_TAG;
    *text = bytes;
    return true;
}

bool mpi_post_open(struct post *post) {
    MPI_Comm local;
    *post = (struct post){.send = send_text, .take = take_text};
    post->carrier = calloc(1, sizeof(struct carrier));
    /* Where a rank is gone its messages fail, and the others go on. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &post->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &post->ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    MPI_Comm_rank(local, &post->local_rank);
    MPI_Comm_size(local, &post->local_ranks);
    MPI_Comm_free(&local);
    return post->carrier != NULL;
}

void mpi_post_close(struct post *post, double seconds) {
    struct carrier *carrier = post->carrier;
    double deadline = tw_clock_now() + seconds;
    while (carrier->sendings != NULL && tw_clock_now() < deadline) {
        sweep(carrier);
        usleep(LOOK_US);
    }
}
