# Debian packages, by CPack: the program, the library with the installed database, what applications are built
# with, and the Python package where there is a place for it. tools/package.sh makes them.
include(GNUInstallDirs)
set(parts program library development)
if(TARGET tune-mpi)
    list(APPEND parts cluster)
endif()
if(TILEWISE_PYTHON_DIR)
    list(APPEND parts python)
endif()
foreach(part IN LISTS parts)
    set(package_program tilewise)
    set(package_cluster tilewise-mpi)
    set(package_library libtilewise${PROJECT_VERSION_MAJOR})
    set(package_development libtilewise-dev)
    set(package_python python3-tilewise)
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package_${part}}
            RENAME copyright COMPONENT ${part})
    string(TOUPPER ${part} PART)
    set(CPACK_DEBIAN_${PART}_PACKAGE_NAME ${package_${part}})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilewise COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/docs/kernels.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilewise COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/tutorials DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilewise
        COMPONENT program FILES_MATCHING PATTERN "*.md")

set(CPACK_PACKAGE_CONTACT "The Tilewise authors <tilewise@localhost>")
set(CPACK_COMPONENTS_ALL ${parts})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(own "libtilewise${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "tuner of GPU kernels
tune finds the fastest configuration of a kernel for a shape and a device, checks it and keeps it in a database.
Works on NVIDIA GPUs, on OpenCL devices and, through PoCL, on CPUs.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "the fastest known GPU kernel for the shape at hand, library
libtilewise reads what tune found and launches it. With the results that ship.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "the fastest known GPU kernel for the shape at hand, development files
The headers, the static library, and what pkg-config and CMake need.")
set(CPACK_COMPONENT_CLUSTER_DESCRIPTION "tuner of GPU kernels, for MPI jobs
tune-mpi tunes a list of problems with the ranks of an MPI job, each on a GPU of its own, into one database.")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "the fastest known GPU kernel for the shape at hand, for Python 3
gemm and other kernels on arrays of NumPy, PyTorch and CuPy.")
# The installed database comes with the library. Drivers are opened at run time.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${own}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "ocl-icd-libopencl1")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "pocl-opencl-icd")
set(CPACK_DEBIAN_CLUSTER_PACKAGE_DEPENDS "tilewise (= ${PROJECT_VERSION}), mpi-default-bin")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "ocl-icd-libopencl1")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "tilewise, pocl-opencl-icd")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${own}, libsqlite3-dev, libcjson-dev")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${own}, python3 (>= 3.10)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy, tilewise")
include(CPack)
