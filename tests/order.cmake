# tools/order.cmake on a small tree: what goes the right way passes, each wrong way is named.
#   cmake -DSCRATCH=<folder to use> -P tests/order.cmake
cmake_minimum_required(VERSION 3.25)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH ROOT)
set(STAMP ${SCRATCH}/stamp)

# A tree of three modules in order, to which one line of `source` is added.
function(expect source line message)
    file(REMOVE_RECURSE ${SCRATCH})
    file(WRITE ${SCRATCH}/ARCHITECTURE.md "# Words\n```\nno order\n```\n```order\ndb\nruntime/base  words; [of it\n\nruntime/variant\n\ntests\n```\n")
    file(WRITE ${SCRATCH}/db/store.h "#include <sqlite3.h>\n")
    file(WRITE ${SCRATCH}/runtime/base/text.h "/* ; [ */\n")
    file(WRITE ${SCRATCH}/runtime/variant/cache.c "#include \"runtime/base/text.h\"\n#include \"db/store.h\"\n")
    file(WRITE ${SCRATCH}/runtime/variant/cache.h "")
    file(WRITE ${SCRATCH}/runtime/variant/code.c "#include \"runtime/variant/cache.h\"\n")
    file(WRITE ${SCRATCH}/runtime/variant/cuda/load.h "#include \"runtime/variant/cache.h\"\n")
    file(WRITE ${SCRATCH}/tests/unit/test_cache.c "#include \"support.h\"\n#include \"runtime/variant/cache.h\"\n")
    file(WRITE ${SCRATCH}/tests/unit/test_cache.h "")
    file(WRITE ${SCRATCH}/tests/unit/support.h "")
    file(APPEND ${SCRATCH}/${source} "${line}\n")
    execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${SCRATCH} -DSTAMP=${STAMP} -P ${ROOT}/tools/order.cmake
        RESULT_VARIABLE status ERROR_VARIABLE said)
    if(message STREQUAL "")
        if(NOT status EQUAL 0 OR NOT EXISTS ${STAMP})
            message(SEND_ERROR "${source} with ${line} was refused:\n${said}")
        endif()
    else()
        string(FIND "${said}" "${message}" at)
        if(status EQUAL 0 OR EXISTS ${STAMP} OR at EQUAL -1)
            message(SEND_ERROR "${source} with ${line} should have been refused with\n${message}\nand was not:\n${said}")
        endif()
    endif()
endfunction()

expect(tests/unit/support.h "/* nothing wrong */" "")
expect(runtime/variant/cuda/load.h "#include <tests/anything.h>" "")
expect(runtime/base/text.h "#include \"runtime/variant/cache.h\""
    "runtime/base/text.h: includes \"runtime/variant/cache.h\", but in ARCHITECTURE.md's order runtime/variant does not stand above runtime/base\n")
expect(runtime/base/text.h "  #  include \"../variant/cuda/load.h\" /* from below */"
    "runtime/base/text.h: includes \"../variant/cuda/load.h\", but in ARCHITECTURE.md's order runtime/variant does not")
expect(db/store.h "#include \"runtime/base/text.h\"" "order runtime/base does not stand above db\n")
expect(runtime/variant/cache.c "#include \"lost/cache.h\""
    "runtime/variant/cache.c: includes \"lost/cache.h\", which ARCHITECTURE.md's order does not have\n")
expect(runtime/plan.c "" "runtime/plan.c: its folder is not in ARCHITECTURE.md's order\n")
expect(ARCHITECTURE.md "```order\nruntime/gone\n```" "ARCHITECTURE.md's order names runtime/gone, which is not")
expect(runtime/variant/code.c "#include \"runtime/variant/code.h\"" "")
expect(runtime/variant/cache.c "#include \"runtime/variant/code.h\""
    "runtime/variant: in a circle of includes: cache, code\n")
expect(tests/unit/support.h "#include \"test_cache.h\""
    "tests/unit: in a circle of includes: support, test_cache\n")
