// Copies a matrix with libtilewise from C++.
#include <tilewise.h>

#include <cstdio>
#include <vector>

int main(int, char **words) {
    const char *const none[] = {nullptr};
    tw_options options{};
    options.device = words[1];
    options.databases = none;
    tw_library *library;
    tw_error error;
    if (tw_open(&library, &options, &error) != TW_OK) {
        std::fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    std::vector<double> from(30 * 20), to(from.size());
    for (std::size_t i = 0; i < from.size(); i++)
        from[i] = static_cast<double>(i);
    const std::size_t bytes = from.size() * sizeof(double);
    void *a = nullptr, *b = nullptr;
    bool done = tw_allocate(&a, library, bytes, &error) == TW_OK &&
                tw_allocate(&b, library, bytes, &error) == TW_OK &&
                tw_write(library, a, from.data(), bytes, &error) == TW_OK &&
                tw_copy(library, nullptr, 8, 30, 20, a, 20, b, 20, &error) == TW_OK &&
                tw_read(library, nullptr, to.data(), b, bytes, &error) == TW_OK;
    if (!done)
        std::fprintf(stderr, "%s\n", error.message);
    else
        std::printf(from == to ? "copied\n" : "a wrong answer\n");
    tw_release(library, a);
    tw_release(library, b);
    tw_close(library);
    return done && from == to ? 0 : 1;
}
