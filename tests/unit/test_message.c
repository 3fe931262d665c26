/* Messages between the coordinator and its workers: whole, cut off, and from the dead. */
#include "tuner/workers/message.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tests/support/support.h"

struct pair {
    int here, there;
};

static int open_pair(void **state) {
    struct pair *pair = calloc(1, sizeof *pair);
    int ends[2];
    if (pair == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    *pair = (struct pair){ends[0], ends[1]};
    *state = pair;
    return 0;
}

static void hang_up(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int close_pair(void **state) {
    struct pair *pair = *state;
    hang_up(&pair->here);
    hang_up(&pair->there);
    free(pair);
    return 0;
}

static unsigned char *pattern(size_t size) {
    unsigned char *bytes = malloc(size);
    uint32_t x = 12345;
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(x >> 24);
    }
    return bytes;
}

static void round_trip(void **state) {
    const struct pair *pair = *state;
    struct tw_error error;
    struct message sent = message_new("trial"), got;
    assert_non_null(sent.json);
    cJSON_AddNumberToObject(sent.json, "id", 123456789012345.0);
    cJSON_AddNumberToObject(sent.json, "time", 0.1234567890123);
    cJSON_AddStringToObject(sent.json, "text", "line\nwith \"quotes\", \\ and \xc3\xa9");
    cJSON_AddBoolToObject(sent.json, "lost", true);
    sent.size = 5;
    sent.bytes = malloc(5);
    memcpy(sent.bytes, "a\0b\0c", 5);
    must(message_send(pair->here, &sent, &error), error);
    must(message_receive(pair->there, &got, &error), error);
    assert_string_equal(message_kind(&got), "trial");
    assert_true(message_number(&got, "id", 0) == 123456789012345.0);
    assert_true(message_number(&got, "time", 0) == 0.1234567890123);
    assert_string_equal(message_text(&got, "text", ""), message_text(&sent, "text", "x"));
    assert_true(message_flag(&got, "lost"));
    assert_int_equal(got.size, 5);
    assert_memory_equal(got.bytes, "a\0b\0c", 5);
    message_free(&got);
    message_free(&sent);
}

static void absent_keys(void **state) {
    (void)state;
    struct message message = message_new("x"), none = {0};
    cJSON_AddStringToObject(message.json, "text", "7");
    cJSON_AddNumberToObject(message.json, "number", 7);
    assert_true(message_number(&message, "absent", -1) == -1);
    assert_true(message_number(&message, "text", -1) == -1);
    assert_string_equal(message_text(&message, "absent", "fallback"), "fallback");
    assert_string_equal(message_text(&message, "number", "fallback"), "fallback");
    assert_null(message_text(&message, "absent", NULL));
    assert_false(message_flag(&message, "absent"));
    assert_false(message_flag(&message, "number"));
    assert_string_equal(message_kind(&none), "");
    assert_true(message_number(&none, "x", 3) == 3);
    message_free(&message);
    message_free(&none);
}

/* Many in a row stay apart, with bytes and without. */
static void messages_stay_apart(void **state) {
    const struct pair *pair = *state;
    struct tw_error error;
    for (int i = 0; i < 50; i++) {
        struct message sent = message_new(i % 2 ? "odd" : "even");
        cJSON_AddNumberToObject(sent.json, "i", i);
        sent.size = (size_t)(i % 3 * 7);
        sent.bytes = pattern(sent.size + 1);
        must(message_send(pair->here, &sent, &error), error);
        message_free(&sent);
    }
    for (int i = 0; i < 50; i++) {
        struct message got;
        must(message_receive(pair->there, &got, &error), error);
        assert_string_equal(message_kind(&got), i % 2 ? "odd" : "even");
        assert_true(message_number(&got, "i", -1) == i);
        assert_int_equal(got.size, i % 3 * 7);
        message_free(&got);
    }
}

struct sending {
    int fd;
    struct message *message;
    tw_status status;
};

static void *send_it(void *argument) {
    struct sending *sending = argument;
    sending->status = message_send(sending->fd, sending->message, NULL);
    if (sending->status != TW_OK)
        shutdown(sending->fd, SHUT_RDWR); /* or the receiver would wait for ever */
    return NULL;
}

static void nothing(int signal) {
    (void)signal;
}

/* Far more than a socket holds, so that it goes in many pieces, while signals interrupt both ends.
 */
struct interrupting {
    pthread_t targets[2];
    atomic_bool done;
};

static void *interrupt(void *argument) {
    struct interrupting *interrupting = argument;
    while (!atomic_load(&interrupting->done)) {
        for (int i = 0; i < 2; i++)
            pthread_kill(interrupting->targets[i], SIGUSR1);
        usleep(100);
    }
    return NULL;
}

static void large_blobs(void **state) {
    const struct pair *pair = *state;
    const size_t size = 40 << 20;
    struct tw_error error;
    struct message message = message_new("compiled"), got;
    message.bytes = pattern(size);
    message.size = size;
    char *text = malloc(1 << 20);
    memset(text, 't', 1 << 20);
    text[(1 << 20) - 1] = '\0';
    cJSON_AddStringToObject(message.json, "log", text);

    const struct sigaction action = {.sa_handler = nothing}; /* no SA_RESTART */
    sigaction(SIGUSR1, &action, NULL);
    struct sending sending = {pair->here, &message, TW_IO};
    struct interrupting interrupting = {.targets = {pthread_self()}};
    pthread_t sender, interrupter;
    assert_int_equal(pthread_create(&sender, NULL, send_it, &sending), 0);
    interrupting.targets[1] = sender;
    assert_int_equal(pthread_create(&interrupter, NULL, interrupt, &interrupting), 0);
    usleep(20000); /* the sender is to meet signals while it waits, too */
    tw_status status = message_receive(pair->there, &got, &error);
    atomic_store(&interrupting.done, true);
    if (status != TW_OK)
        shutdown(pair->there, SHUT_RDWR); /* or the sender would wait for ever */
    assert_int_equal(pthread_join(interrupter, NULL), 0);
    assert_int_equal(pthread_join(sender, NULL), 0);
    signal(SIGUSR1, SIG_DFL);
    must(status, error);
    assert_status(sending.status, TW_OK);
    assert_int_equal(got.size, size);
    assert_memory_equal(got.bytes, message.bytes, size);
    assert_string_equal(message_text(&got, "log", ""), text);
    free(text);
    message_free(&got);
    message_free(&message);
}

/* What a whole message is on the wire. */
static size_t wire(const char *json, size_t blob, unsigned char out[4096]) {
    uint32_t lengths[2] = {(uint32_t)strlen(json), (uint32_t)blob};
    memcpy(out, lengths, 8);
    memcpy(out + 8, json, lengths[0]);
    memset(out + 8 + lengths[0], 'b', blob);
    return 8 + lengths[0] + blob;
}

static tw_status receive_bytes(const unsigned char *bytes, size_t size, struct message *got,
                               struct tw_error *error) {
    void *state;
    assert_int_equal(open_pair(&state), 0);
    struct pair *pair = state;
    assert_int_equal(write(pair->here, bytes, size), size);
    hang_up(&pair->here);
    tw_status status = message_receive(pair->there, got, error);
    close_pair(&state);
    return status;
}

/* Cut off after any number of bytes, it is an error, and nothing is left to free. */
static void cut_off_anywhere(void **state) {
    (void)state;
    unsigned char bytes[4096];
    size_t size = wire("{\"kind\":\"result\",\"id\":7}", 20, bytes);
    struct message got;
    struct tw_error error;
    for (size_t cut = 0; cut < size; cut++) {
        tw_status status = receive_bytes(bytes, cut, &got, &error);
        assert_status(status, cut == 0 ? TW_NOT_FOUND : TW_IO);
        assert_null(got.json);
        assert_null(got.bytes);
        assert_true(error.message[0] != '\0');
    }
    must(receive_bytes(bytes, size, &got, &error), error);
    assert_string_equal(message_kind(&got), "result");
    assert_int_equal(got.size, 20);
    message_free(&got);
}

static void what_is_no_message(void **state) {
    (void)state;
    static const char *const texts[] = {"",  "{",   "nonsense", "{\"kind\":\"x\"} and more",
                                        "7", "[1]", "\"text\"", "null"};
    unsigned char bytes[4096];
    struct message got;
    struct tw_error error;
    int taken = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tw_status status = receive_bytes(bytes, wire(texts[i], 3, bytes), &got, &error);
        if (status != TW_IO || got.json != NULL) {
            print_error("\"%s\" gives %s\n", texts[i], tw_status_text(status));
            taken++;
        }
        message_free(&got);
    }
    assert_int_equal(taken, 0);
}

/* Lengths that no message has are refused at once: we neither allocate gigabytes nor wait for them.
 */
static void absurd_lengths(void **state) {
    const struct pair *pair = *state;
    static const uint32_t lengths[][2] = {
        {0xffffffff, 0}, {10, 0xffffffff}, {0x80000000, 0x80000000}, {0x20000001, 0}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct message got;
        struct tw_error error;
        assert_int_equal(write(pair->here, lengths[i], 8), 8);
        alarm(60); /* the other end is open, so one who waits does so for ever */
        assert_refuses(message_receive(pair->there, &got, &error), TW_IO, error, "cut off");
        alarm(0);
        assert_null(got.bytes);
    }
}

static void a_dead_peer(void **state) {
    struct pair *pair = *state;
    struct tw_error error;
    struct message message = message_new("trial"), got;
    message.size = 8 << 20;
    message.bytes = pattern(message.size);
    hang_up(&pair->there);
    /* An error, not a SIGPIPE, which would end this test. */
    assert_refuses(message_send(pair->here, &message, &error), TW_IO, error,
                   "the other process is gone");
    assert_refuses(message_receive(pair->here, &got, &error), TW_NOT_FOUND, error, "closed");
    message_free(&message);
    message_free(&got);
}

/* A peer that is killed in the middle of a message, with some of ours unread. */
static void a_peer_that_dies_within(void **state) {
    struct pair *pair = *state;
    struct tw_error error;
    unsigned char bytes[4096];
    size_t size = wire("{\"kind\":\"result\"}", 2000, bytes);
    struct message message = message_new("trial"), got;
    /* Sent before the peer lives, which might otherwise die first. */
    must(message_send(pair->here, &message, &error), error);
    pid_t child = fork();
    if (child == 0) {
        if (write(pair->there, bytes, size / 2) > 0)
            raise(SIGKILL);
        _exit(1);
    }
    hang_up(&pair->there);
    assert_refuses(message_receive(pair->here, &got, &error), TW_IO, error, "cut off");
    assert_null(got.json);
    assert_int_equal(waitpid(child, NULL, 0), child);
    message_free(&message);
}

static void no_memory_is_no_message(void **state) {
    const struct pair *pair = *state;
    struct message none = {0};
    assert_status(message_send(pair->here, &none, NULL), TW_NO_MEMORY);
}

#define PAIR_TEST(function) cmocka_unit_test_setup_teardown(function, open_pair, close_pair)

int main(void) {
    const struct CMUnitTest tests[] = {
        PAIR_TEST(round_trip),
        cmocka_unit_test(absent_keys),
        PAIR_TEST(messages_stay_apart),
        PAIR_TEST(large_blobs),
        cmocka_unit_test(cut_off_anywhere),
        cmocka_unit_test(what_is_no_message),
        PAIR_TEST(absurd_lengths),
        PAIR_TEST(a_dead_peer),
        PAIR_TEST(a_peer_that_dies_within),
        PAIR_TEST(no_memory_is_no_message),
    };
    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
