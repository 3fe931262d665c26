/* Ctrl-C, once, twice at once, and twice. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "tuner/commands/interrupts.h"

enum { NOTICED = 17, MISSED = 18 };

static void sleep_for(double seconds) {
    struct timespec left = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

/* How a process ends that gets `count` signals, `pause` seconds apart. */
static int end_of(int number, int count, double pause) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const volatile sig_atomic_t *interrupted = interrupts_catch();
        if (*interrupted != 0)
            _exit(MISSED);
        for (int i = 0; i < count; i++) {
            if (i > 0)
                sleep_for(pause);
            raise(number);
        }
        _exit(*interrupted != 0 ? NOTICED : MISSED);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void assert_noticed(int status) {
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), NOTICED);
}

static void assert_ended_by(int number, int status) {
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), number);
}

static void one_is_noticed(void **state) {
    (void)state;
    assert_noticed(end_of(SIGINT, 1, 0));
    assert_noticed(end_of(SIGTERM, 1, 0));
}

/* As of timeout(1), which signals its command and then the group that it is in. */
static void several_at_once_are_one(void **state) {
    (void)state;
    assert_noticed(end_of(SIGINT, 2, 0));
    assert_noticed(end_of(SIGTERM, 3, 0.01));
}

static void a_later_one_ends_it(void **state) {
    (void)state;
    assert_ended_by(SIGINT, end_of(SIGINT, 2, 1.2));
    assert_ended_by(SIGTERM, end_of(SIGTERM, 2, 1.2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_is_noticed),
        cmocka_unit_test(several_at_once_are_one),
        cmocka_unit_test(a_later_one_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
