/* tune --version: what it is, and what it was built with. */
#include <stdio.h>

#include <cjson/cJSON.h>

#include "db/store.h"
#include "runtime/backend/devices.h"
#include "runtime/description/builtin.h"
#include "tuner/commands/command.h"

enum { MOST_KERNELS = 256 };

int command_version(void) {
    const char *kernels[MOST_KERNELS];
    printf("tune %s\n", TW_VERSION);
    printf("  backends        ");
    const struct tw_backend *const *backends = tw_backends();
    for (int i = 0; backends[i] != NULL; i++)
        printf("%s%s", i > 0 ? ", " : "", backends[i]->name);
    printf("%s%s\n", backends[0] == NULL ? "none" : "", TUNE_HEADERS);
    printf("  kernels        ");
    size_t count = tw_builtin_kernels(kernels, MOST_KERNELS);
    for (size_t i = 0; i < count; i++)
        printf(" %s", kernels[i]);
    printf("\n  databases       schema %d, SQLite %s\n", TW_DB_SCHEMA_VERSION, tw_db_engine());
    printf("  JSON            cJSON %s\n", cJSON_Version());
    printf("  built           %s\n", TUNE_BUILT);
    return EXIT_FINE;
}
