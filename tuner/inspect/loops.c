/* Natural loops (Aho, Lam, Sethi and Ullman, Compilers, 9.6): a branch back to an instruction
 * that every way from the kernel's beginning to the branch passes. Blocks that the compiler has
 * moved behind the kernel's end branch back, too, and are no loops. */
#include "tuner/inspect/loops.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/inspect/tensor.h"

enum { MAX_LOOPS = 256 };

struct natural_loop {
    size_t head, tail, size;
    bool *body; /* by instruction */
};

struct search {
    const struct sass *sass;
    bool *is_target; /* by instruction, as the next two */
    bool *reachable; /* from the beginning */
    bool *reached;
    size_t *stack;
    int count;
    struct natural_loop loops[MAX_LOOPS];
    int *innermost; /* by instruction: the smallest loop that it is in, or -1 */
};

/* ---- Where control may go ---- */

static bool goes_on(const struct sass_instruction *in) {
    return in->conditional || in->never || (in->kind != SASS_BRANCH && in->kind != SASS_EXIT);
}

static bool branches_to(const struct sass_instruction *in, size_t index) {
    return !in->never && in->target == (int)index;
}

static void visit(struct search *s, size_t index, size_t *depth) {
    if (index >= s->sass->count || s->reached[index])
        return;
    s->reached[index] = true;
    s->stack[(*depth)++] = index;
}

/* Everything that can be reached from the beginning, without passing `avoided`. */
static void reach_forward(struct search *s, size_t avoided) {
    size_t depth = 0;
    memset(s->reached, 0, s->sass->count * sizeof *s->reached);
    if (avoided != 0)
        visit(s, 0, &depth);
    while (depth > 0) {
        size_t index = s->stack[--depth];
        const struct sass_instruction *in = &s->sass->instructions[index];
        if (goes_on(in) && index + 1 != avoided)
            visit(s, index + 1, &depth);
        if (!in->never && in->target >= 0 && (size_t)in->target != avoided)
            visit(s, (size_t)in->target, &depth);
    }
}

/* ---- Loops ---- */

/* All that leads to the branch at `tail` without passing the head; loops with one head are one. */
static void add_body(struct search *s, struct natural_loop *loop, size_t tail) {
    size_t depth = 0;
    memcpy(s->reached, loop->body, s->sass->count * sizeof *s->reached);
    s->reached[loop->head] = true;
    visit(s, tail, &depth);
    while (depth > 0) {
        size_t index = s->stack[--depth];
        if (index > 0 && goes_on(&s->sass->instructions[index - 1]))
            visit(s, index - 1, &depth);
        for (size_t from = 0; s->is_target[index] && from < s->sass->count; from++)
            if (branches_to(&s->sass->instructions[from], index))
                visit(s, from, &depth);
    }
    memcpy(loop->body, s->reached, s->sass->count * sizeof *s->reached);
}

static struct natural_loop *loop_with_head(struct search *s, size_t head) {
    for (int i = 0; i < s->count; i++)
        if (s->loops[i].head == head)
            return &s->loops[i];
    if (s->count == MAX_LOOPS)
        return NULL;
    struct natural_loop *loop = &s->loops[s->count];
    *loop = (struct natural_loop){.head = head, .body = calloc(s->sass->count, sizeof(bool))};
    if (loop->body == NULL)
        return NULL;
    s->count++;
    return loop;
}

static tw_status find_loops(struct search *s, struct tw_error *error) {
    for (size_t i = 0; i < s->sass->count; i++)
        if (s->sass->instructions[i].target >= 0)
            s->is_target[s->sass->instructions[i].target] = true;
    reach_forward(s, SIZE_MAX);
    memcpy(s->reachable, s->reached, s->sass->count * sizeof *s->reached);
    for (size_t i = 0; i < s->sass->count; i++) {
        const struct sass_instruction *in = &s->sass->instructions[i];
        /* A branch to itself is the trap behind the kernel's end. */
        if (in->never || in->target < 0 || (size_t)in->target >= i || !s->reachable[i])
            continue;
        reach_forward(s, (size_t)in->target);
        if (s->reached[i])
            continue;
        struct natural_loop *loop = loop_with_head(s, (size_t)in->target);
        if (loop == NULL)
            return tw_fail(error, TW_NO_MEMORY, "out of memory, or more than %d loops", MAX_LOOPS);
        add_body(s, loop, i);
    }
    return TW_OK;
}

static void measure_loops(struct search *s) {
    for (size_t i = 0; i < s->sass->count; i++) {
        s->innermost[i] = -1;
        for (int l = 0; l < s->count; l++)
            if (s->loops[l].body[i]) {
                s->loops[l].size++;
                s->loops[l].tail = i;
            }
    }
    for (size_t i = 0; i < s->sass->count; i++)
        for (int l = 0; l < s->count; l++)
            if (s->loops[l].body[i] &&
                (s->innermost[i] < 0 || s->loops[l].size < s->loops[s->innermost[i]].size))
                s->innermost[i] = l;
}

/* ---- The one ---- */

/* Multiply-adds of a warp. Products that do not say their shape count as a small one. */
static long arithmetic(const struct sass_instruction *in) {
    enum { WARP = 32, SMALL_PRODUCT = 8 * 8 * 4 };
    if (in->kind == SASS_TENSOR) {
        long multiply_adds = tensor_multiply_adds(in);
        return multiply_adds > 0 ? multiply_adds : SMALL_PRODUCT;
    }
    if (in->kind == SASS_FFMA2)
        return 2 * WARP;
    return in->kind == SASS_FFMA || in->kind == SASS_DFMA ? WARP : 0;
}

static long accesses(const struct sass_instruction *in) {
    return in->kind == SASS_GLOBAL_LOAD || in->kind == SASS_GLOBAL_STORE ||
           in->kind == SASS_ASYNC_COPY || in->kind == SASS_BULK_COPY;
}

static int richest(const struct search *s, long (*count)(const struct sass_instruction *)) {
    int best = -1;
    long most = 0;
    for (int l = 0; l < s->count; l++) {
        long number = 0;
        for (size_t i = 0; i < s->sass->count; i++)
            if (s->innermost[i] == l && !s->sass->instructions[i].never)
                number += count(&s->sass->instructions[i]);
        if (number > most) {
            most = number;
            best = l;
        }
    }
    return best;
}

static void take(const struct search *s, int chosen, struct sass_loop *out) {
    out->found = chosen >= 0;
    out->tail = s->sass->count - 1;
    for (size_t i = 0; i < s->sass->count; i++)
        out->own[i] = chosen < 0 || s->innermost[i] == chosen;
    if (chosen < 0)
        return;
    out->head = s->loops[chosen].head;
    out->tail = s->loops[chosen].tail;
    for (int l = 0; l < s->count; l++)
        out->nested += l != chosen && s->loops[chosen].body[s->loops[l].head] &&
                       s->loops[l].size < s->loops[chosen].size;
}

static void end_search(struct search *s) {
    if (s == NULL)
        return;
    for (int l = 0; l < s->count; l++)
        free(s->loops[l].body);
    free(s->is_target);
    free(s->reachable);
    free(s->reached);
    free(s->stack);
    free(s->innermost);
    free(s);
}

static struct search *begin_search(const struct sass *sass) {
    struct search *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->sass = sass;
    s->is_target = calloc(sass->count, sizeof *s->is_target);
    s->reachable = calloc(sass->count, sizeof *s->reachable);
    s->reached = calloc(sass->count, sizeof *s->reached);
    s->stack = calloc(sass->count, sizeof *s->stack);
    s->innermost = calloc(sass->count, sizeof *s->innermost);
    if (s->is_target != NULL && s->reachable != NULL && s->reached != NULL && s->stack != NULL &&
        s->innermost != NULL)
        return s;
    end_search(s);
    return NULL;
}

tw_status sass_find_loop(const struct sass *sass, struct sass_loop *out, struct tw_error *error) {
    *out = (struct sass_loop){.own = calloc(sass->count, sizeof *out->own)};
    struct search *s = begin_search(sass);
    tw_status status = out->own == NULL || s == NULL
                           ? tw_fail(error, TW_NO_MEMORY, "out of memory for a kernel's loops")
                           : find_loops(s, error);
    if (status == TW_OK) {
        measure_loops(s);
        int chosen = richest(s, arithmetic);
        take(s, chosen >= 0 ? chosen : richest(s, accesses), out);
    }
    end_search(s);
    return status;
}

void sass_loop_free(struct sass_loop *loop) {
    free(loop->own);
    *loop = (struct sass_loop){0};
}
