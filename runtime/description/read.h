/* Internal to the room: the parts of reading a description. Each reads one part of the JSON into
 * the description; failures go to the JSON context. */
#ifndef TW_DESCRIPTION_READ_H
#define TW_DESCRIPTION_READ_H

#include "runtime/description/description.h"
#include "runtime/description/json.h"

void tw_read_problem(struct tw_description *description, const struct tw_json *root);
void tw_read_arguments(struct tw_description *description, const struct tw_json *root);
void tw_read_cases(struct tw_description *description, const struct tw_json *root);
void tw_read_tolerance(struct tw_description *description, const struct tw_json *root);
/* After the implementations, whose presets they name. */
void tw_read_fallback(struct tw_description *description, const struct tw_json *root);
void tw_read_ladder(struct tw_description *description, const struct tw_json *root);
void tw_read_implementation(const struct tw_description *description,
                            struct tw_implementation *implementation, const struct tw_json *json);

/* Of an outline, all of them. */
void tw_read_outlines(struct tw_description *description, const struct tw_json *list);
/* What they hold, not the structs. */
void tw_launch_description_free(struct tw_launch_description *launch);
void tw_implementation_free(struct tw_implementation *implementation);

/* `implementation` NULL: the reference launch, which may pass NAME.in and no launch parameters. */
void tw_read_launch(const struct tw_description *description,
                    const struct tw_implementation *implementation,
                    struct tw_launch_description *launch, const struct tw_json *json);
/* Tensor maps of a launch of an implementation, which may be of its arguments and workspace. */
void tw_read_tensor_maps(const struct tw_description *description,
                         const struct tw_implementation *implementation,
                         struct tw_launch_description *launch, const struct tw_json *json);
/* NULL when absent or wrong; a complaint names the key and the column. */
struct tw_expression *tw_read_expression(const struct tw_symbols *symbols,
                                         const struct tw_json *json);
/* Copies a name that must be an identifier. */
void tw_read_name(char out[TW_NAME_SIZE], const struct tw_json *json);
/* Adds a name that expressions may use from now on; complains when it is taken or reserved. */
int tw_read_symbol(struct tw_symbols *symbols, const char *name, const struct tw_json *json);
int tw_read_word(struct tw_symbols *symbols, const struct tw_json *json);
char *tw_read_text(const struct tw_json *json);
/* A value of a parameter, as an integer or a word's id; complains when it is not among the listed.
 */
int64_t tw_read_value(const struct tw_implementation *implementation,
                      const struct tw_parameter *parameter, const struct tw_json *json);
/* The values of all parameters, members of an object; complains of one that is missing and has none
 * for this case. */
void tw_read_values(const struct tw_implementation *implementation, int64_t *values,
                    const struct tw_json *json);
/* The number of elements; complains when there are more than `most`, and then returns 0. */
int tw_read_count(const struct tw_json *container, int most);
/* Zeroes for so many elements, *count of `size` bytes each, which becomes 0 when there are more
 * than `most` or no memory, and that is complained of. NULL then, and where there are none. */
void *tw_read_list(const struct tw_json *container, int most, size_t size, int *count);
int tw_find_argument(const struct tw_description *description, const char *name);

#endif
