/* Messages between ranks: a kind and some text. Who carries them, MPI, is nobody else's business.
 *
 * Sending never waits, and a rank may send to itself. What is sent to a rank that is gone is lost.
 */
#ifndef TUNER_CLUSTER_POST_H
#define TUNER_CLUSTER_POST_H

#include <stdbool.h>

#include <cjson/cJSON.h>

enum post_kind {
    POST_START,  /* 0 to all: {words, id, began_at, ...}: what there is to do (rank.h) */
    POST_HELLO,  /* to 0: {host, device, place, fingerprint, exports, unfinished, finished} or
                    {failed} */
    POST_ALIVE,  /* to 0, again and again: {idle} */
    POST_TASK,   /* from 0: {problem, words} */
    POST_RESULT, /* to 0: {problem, export, report} or {problem, failed} */
    POST_NOTE,   /* to 0: {line} for whoever runs it */
    POST_OVER    /* from 0: there is nothing more to do; {lost}: nor can all ranks be waited for */
};

struct post {
    int rank, ranks;
    int local_rank, local_ranks; /* among those of this machine */
    /* The text is copied. */
    void (*send)(struct post *post, int to, enum post_kind kind, const char *text);
    /* A message, if there is one; the caller frees *text. */
    bool (*take)(struct post *post, int *from, enum post_kind *kind, char **text);
    void *carrier;
};

/* Sends the document and frees it. For want of memory nothing is sent. */
void post_json(struct post *post, int to, enum post_kind kind, cJSON *json);
/* Text of a document, or the fallback. Borrowed. */
const char *post_text(const cJSON *json, const char *key, const char *fallback);
/* A whole number of a document that fits an int; the fallback where there is none. */
int post_number(const cJSON *json, const char *key, int fallback);

#endif
