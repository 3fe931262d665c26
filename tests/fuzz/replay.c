/* Runs a target on every file of the folders given: the corpus as a test, without libFuzzer. */
#include <dirent.h>

#include "runtime/base/file.h"
#include "tests/fuzz/fuzz.h"

static int replay_file(const char *folder, const char *name) {
    char path[1024];
    struct tw_text text = {0};
    struct tw_error error;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (tw_file_read(&text, path, &error) != TW_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    fprintf(stderr, "%s\n", path); /* so that a crash tells which it was */
    LLVMFuzzerTestOneInput((const uint8_t *)text.data, text.length);
    tw_text_free(&text);
    return 0;
}

int main(int count, char **folders) {
    int files = 0, failures = 0;
    for (int i = 1; i < count; i++) {
        DIR *folder = opendir(folders[i]);
        const struct dirent *entry;
        while (folder != NULL && (entry = readdir(folder)) != NULL) {
            if (entry->d_name[0] == '.')
                continue;
            failures += replay_file(folders[i], entry->d_name);
            files++;
        }
        if (folder != NULL)
            closedir(folder);
    }
    if (files == 0)
        fprintf(stderr, "no inputs found\n");
    return files == 0 || failures > 0;
}
