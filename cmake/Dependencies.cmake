# Finds OpenMP, OpenBLAS and oneDNN. mxnet_dependencies links them; MXNET_BUNDLED_LIBRARIES lists the files that
# belong beside libmxnet.so.
#
# OpenBLAS and oneDNN come from Python wheels: from .deps/native, where ./dev puts them; from the build environment of
# pip, whose site-packages scikit-build-core puts on CMAKE_PREFIX_PATH; or from the system.

set(MXNET_BUNDLED_LIBRARIES "")
add_library(mxnet_dependencies INTERFACE)

set(_prefixes "")
foreach(prefix IN LISTS CMAKE_PREFIX_PATH)
  # A wheel's data files go to the environment's prefix, its packages to site-packages three levels deeper.
  get_filename_component(_environment ${prefix}/../../.. ABSOLUTE)
  list(APPEND _prefixes ${prefix} ${_environment})
endforeach()
file(GLOB _deps_packages ${PROJECT_SOURCE_DIR}/.deps/native/lib/python3*/site-packages)
list(APPEND _prefixes ${PROJECT_SOURCE_DIR}/.deps/native ${_deps_packages})

find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)
target_link_libraries(mxnet_dependencies INTERFACE OpenMP::OpenMP_CXX Threads::Threads ${CMAKE_DL_LIBS})
if(MXNET_BUNDLE_LIBGOMP)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.so.1
    OUTPUT_VARIABLE _gomp OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(_gomp_file "${_gomp}" REALPATH)
  if(EXISTS "${_gomp_file}")
    file(COPY ${_gomp_file} DESTINATION ${PROJECT_BINARY_DIR}/gomp)
    get_filename_component(_gomp_name ${_gomp_file} NAME)
    file(RENAME ${PROJECT_BINARY_DIR}/gomp/${_gomp_name} ${PROJECT_BINARY_DIR}/gomp/libgomp.so.1)
    list(APPEND MXNET_BUNDLED_LIBRARIES ${PROJECT_BINARY_DIR}/gomp/libgomp.so.1)
  endif()
endif()

# OpenBLAS of the wheel gives every symbol the prefix scipy_ (scipy_cblas_dgemm, scipy_dpotrf_); a system's has none.
find_library(MXNET_OPENBLAS_WHEEL NAMES scipy_openblas
  HINTS ${_prefixes} PATH_SUFFIXES scipy_openblas32/lib NO_DEFAULT_PATH)
if(MXNET_OPENBLAS_WHEEL)
  get_filename_component(_openblas_root ${MXNET_OPENBLAS_WHEEL}/../.. ABSOLUTE)
  set(_openblas ${MXNET_OPENBLAS_WHEEL})
  set(_openblas_include ${_openblas_root}/include)
  set(_blas_prefix scipy_)
  list(APPEND MXNET_BUNDLED_LIBRARIES ${MXNET_OPENBLAS_WHEEL})
else()
  find_library(MXNET_OPENBLAS_SYSTEM NAMES openblas REQUIRED)
  find_path(_openblas_include NAMES cblas.h PATH_SUFFIXES openblas REQUIRED)
  set(_openblas ${MXNET_OPENBLAS_SYSTEM})
  set(_blas_prefix "")
endif()
target_link_libraries(mxnet_dependencies INTERFACE ${_openblas})
target_compile_definitions(mxnet_dependencies INTERFACE MXNET_BLAS_PREFIX=${_blas_prefix})
message(STATUS "OpenBLAS: ${_openblas} (symbol prefix '${_blas_prefix}')")

if(MXNET_USE_ONEDNN AND NOT MXNET_X86)
  message(STATUS "oneDNN: off, its wheels are for x86-64 only")
elseif(MXNET_USE_ONEDNN)
  find_path(MXNET_ONEDNN_INCLUDE NAMES oneapi/dnnl/dnnl.h HINTS ${_prefixes} PATH_SUFFIXES include REQUIRED)
  find_library(MXNET_ONEDNN_LIBRARY NAMES libdnnl.so.3 HINTS ${_prefixes} PATH_SUFFIXES lib REQUIRED)
  target_include_directories(mxnet_dependencies SYSTEM INTERFACE ${MXNET_ONEDNN_INCLUDE})
  target_link_libraries(mxnet_dependencies INTERFACE ${MXNET_ONEDNN_LIBRARY})
  target_compile_definitions(mxnet_dependencies INTERFACE MXNET_USE_ONEDNN=1)
  list(APPEND MXNET_BUNDLED_LIBRARIES ${MXNET_ONEDNN_LIBRARY})
  message(STATUS "oneDNN: ${MXNET_ONEDNN_LIBRARY}")
endif()
# After oneDNN's folder, for a wheel of one may carry headers of the other.
target_include_directories(mxnet_dependencies SYSTEM INTERFACE ${_openblas_include})
