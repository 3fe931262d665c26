/* Launches and tensor maps that start from a part's: what they expand to, and where mistakes are
 * said to be. */
#include "runtime/base/text.h"
#include "tests/support/compose.h"

static const char launch[] =
    "{ \"templates\": [\"scale/direct.cu\"], \"function\": \"scale_direct\", \"block\": "
    "[\"BLOCK_X\"], \"grid\": [\"ceil_div(N, BLOCK_X)\", \"M\"], \"shared\": \"0\", "
    "\"min_blocks\": \"1\", \"pass\": [\"A\", \"B\", \"M\", \"N\", \"lda\", \"ldb\", \"alpha\", "
    "\"GROUP\"] }";

/* What stands in the place of the launch: `own`, and `part` as a part's launch "row". */
static char *with_launches(const char *own, const char *part) {
    struct tw_text to = {0};
    tw_text_print(&to,
                  "%s ], \"parts\": [{ \"launches\": { \"row\": %s },"
                  "\"lists\": { \"all\": [\"A\", \"@rest\"], \"rest\": [\"B\", \"M\"],"
                  "             \"files\": [\"b.cu\", \"c.cu\"] } }",
                  own, part);
    assert_false(to.failed);
    return to.data;
}

static void launches_from_parts(void **state) {
    (void)state;
    char *to = with_launches(
        "{ \"from\": \"row\", \"grid\": [\"M\"], \"block\": [\"BLOCK_X\"] }",
        "{ \"pass\": [\"@all\", \"N\"], \"templates\": [\"a.cu\", \"@files\", \"d.cu\"],"
        "  \"block\": [\"8\"], \"function\": \"f\" }");
    cJSON *json = expanded(launch, to, NULL);
    assert_section(implementation_of(json, 0), "launches",
                   "[{\"templates\":[\"a.cu\",\"b.cu\",\"c.cu\",\"d.cu\"],\"function\":\"f\","
                   "\"block\":[\"BLOCK_X\"],\"grid\":[\"M\"],\"pass\":[\"A\",\"B\",\"M\",\"N\"]}]");
    cJSON_Delete(json);
    free(to);
}

static void mistakes_in_launches(void **state) {
    (void)state;
#define LAUNCH "\"function\": \"f\", \"block\": [\"1\"], \"grid\": [\"1\"], "
#define PLACE "key implementations[0].parts[0].launches.row"
    static const struct {
        const char *own, *part, *where, *what;
    } cases[] = {
        {"{ \"from\": \"row\" }", "{ \"from\": \"row\" }", PLACE ".from: ", "in a circle"},
        {"{ \"from\": \"raw\" }", "{}",
         "key implementations[0].launches[0].from: ", "no part has the launch \"raw\""},
        {"{ \"from\": \"row\" }", "{ \"pass\": [\"@nothing\"] }",
         PLACE ".pass[0]: ", "no part has the list \"nothing\""},
        {"{ \"from\": \"row\" }", "{ \"gird\": [\"1\"] }", PLACE ": ", "did you mean \"grid\"?"},
        {"{ \"from\": \"row\" }",
         "{ " LAUNCH "\"templates\": [\"@files\"], \"pass\": [\"A\", \"Z\"] }",
         PLACE ".pass[1]: ", "\"Z\" is no argument"},
        {"{ \"from\": \"row\" }",
         "{ " LAUNCH "\"templates\": [\"@files\"], \"pass\": [], \"shared\": \"1 +\" }",
         PLACE ".shared: ", "ends too early"},
        {"3", "{}", "key implementations[0].launches[0]: ", "expected an object"},
    };
#undef PLACE
#undef LAUNCH
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *to = with_launches(cases[i].own, cases[i].part);
        assert_mistake(launch, to, NULL, cases[i].where, cases[i].what);
        free(to);
    }
}

/* What stands there: a launch with `map`, and a part with the maps `named`. */
static char *with_maps(const char *map, const char *named) {
    struct tw_text to = {0};
    tw_text_print(&to,
                  "{ \"templates\": [\"a.cu\"], \"function\": \"f\", \"block\": [\"1\"], \"grid\": "
                  "[\"1\"], \"tensor_maps\": { \"MAP\": %s }, \"pass\": [\"MAP\"] } ], \"parts\": "
                  "[{ \"let\": { \"W\": \"2*BLOCK_X\" }, \"tensor_maps\": { %s } }",
                  map, named);
    assert_false(to.failed);
    return to.data;
}

#define ROWS                                                                                       \
    "\"rows\": { \"buffer\": \"A\", \"dims\": [\"N\", \"M\"], \"strides\": [\"lda\"], \"box\": "   \
    "[\"W\", \"1\"], \"swizzle\": \"128\" }"

static void tensor_maps_from_parts(void **state) {
    (void)state;
    char *to = with_maps("{ \"from\": \"few\", \"type\": \"u32\", \"offset\": \"16\" }",
                         ROWS ", \"few\": { \"from\": \"rows\", \"box\": [\"8\", \"W/8\"] }");
    cJSON *json = expanded(launch, to, NULL);
    const cJSON *flat = cJSON_GetArrayItem(
        cJSON_GetObjectItemCaseSensitive(implementation_of(json, 0), "launches"), 0);
    assert_section(flat, "tensor_maps",
                   "{\"MAP\":{\"buffer\":\"A\",\"type\":\"u32\",\"dims\":[\"N\",\"M\"],"
                   "\"strides\":[\"lda\"],\"box\":[\"8\",\"2*BLOCK_X/8\"],\"swizzle\":\"128\","
                   "\"offset\":\"16\"}}");
    cJSON_Delete(json);
    free(to);
}

static void mistakes_in_tensor_maps(void **state) {
    (void)state;
#define OWN "key implementations[0].launches[0].tensor_maps.MAP"
#define PARTS_MAP "key implementations[0].parts[0].tensor_maps"
    static const struct {
        const char *map, *named, *where, *what;
    } cases[] = {
        {"{ \"from\": \"row\" }", ROWS, OWN ".from: ", "no part has the tensor map \"row\""},
        {"{ \"from\": \"a\" }", "\"a\": { \"from\": \"a\" }",
         PARTS_MAP ".a.from: ", "tensor maps start from each other in a circle"},
        {"{ \"from\": \"rows\", \"bocx\": [] }", ROWS, OWN ": ", "did you mean \"box\"?"},
        {"{ \"from\": \"a\" }", "\"a\": { \"buffer\": \"A\" }", OWN ".dims: ", "missing"},
        {"{ \"from\": \"rows\", \"buffer\": \"Z\" }", ROWS, OWN ".buffer: ", "\"Z\" is no buffer"},
        {"{ \"from\": \"a\" }", ROWS ", \"a\": { \"from\": \"rows\", \"swizzle\": \"1 +\" }",
         PARTS_MAP ".a.swizzle: ", "ends too early"},
        {"3", ROWS, OWN ": ", "expected an object"},
    };
#undef PARTS_MAP
#undef OWN
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *to = with_maps(cases[i].map, cases[i].named);
        assert_mistake(launch, to, NULL, cases[i].where, cases[i].what);
        free(to);
    }
}
#undef ROWS

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_from_parts),
        cmocka_unit_test(mistakes_in_launches),
        cmocka_unit_test(tensor_maps_from_parts),
        cmocka_unit_test(mistakes_in_tensor_maps),
    };
    return cmocka_run_group_tests_name("compose launches", tests, NULL, NULL);
}
