/* DLPack's C exchange interface, as versions 1.x of it have it in memory: how a package of arrays
 * says, without any Python in between, where an array is and how it lies. A type that has it
 * carries a capsule called DLPACK_CAPSULE under `__dlpack_c_exchange_api__`.
 */
#ifndef TILEWISE_PYTHON_LAUNCH_DLPACK_H
#define TILEWISE_PYTHON_LAUNCH_DLPACK_H

#include <stdint.h>

#define DLPACK_CAPSULE "dlpack_exchange_api"
#define DLPACK_MAJOR 1

/* DLTensor: an array that somebody else owns. */
struct dlpack_tensor {
    void *data;
    int32_t device_type;
    int32_t device_id;
    int32_t dimensions;
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
    const int64_t *shape;
    /* In elements; NULL: there are no gaps. */
    const int64_t *strides;
    uint64_t byte_offset;
};

/* DLPackExchangeAPI. Functions answer 0, or -1 with an exception of Python's set. What is not
 * called here stands as a function of no arguments.
 */
struct dlpack_exchange {
    uint32_t major;
    uint32_t minor;
    /* The same package's interface of an older major version; NULL: none. */
    const struct dlpack_exchange *previous;
    int (*allocate)(void);
    int (*export_managed)(void);
    int (*import_managed)(void);
    /* Fills in `out`, which holds for as long as nobody changes the array; NULL where a package has
     * none. */
    int (*look)(void *array, struct dlpack_tensor *out);
    /* The stream that the calling thread queues on at the moment. */
    int (*current_stream)(int32_t device_type, int32_t device_id, void **out);
};

#endif
