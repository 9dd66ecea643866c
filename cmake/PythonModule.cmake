# Builds mxnet._capi from its committed, generated C source against CPython's stable interface, and lays out an
# importable package in <build>/python: links to the sources, the module and the native libraries.

set(MXNET_CAPI_SOURCE ${PROJECT_SOURCE_DIR}/python/mxnet/_capi.c)
if(EXISTS ${MXNET_CAPI_SOURCE})
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
  add_library(mxnet_capi MODULE ${MXNET_CAPI_SOURCE})
  # Not the Python package's own target: that would tie the module to one version's symbols.
  target_include_directories(mxnet_capi PRIVATE ${Python_INCLUDE_DIRS})
  target_compile_definitions(mxnet_capi PRIVATE Py_LIMITED_API=0x030a0000)
  target_compile_options(mxnet_capi PRIVATE -w)
  target_link_libraries(mxnet_capi PRIVATE mxnet)
  set_target_properties(mxnet_capi PROPERTIES
    PREFIX "" OUTPUT_NAME _capi SUFFIX .abi3.so
    C_VISIBILITY_PRESET default
    LIBRARY_OUTPUT_DIRECTORY ${MXNET_LIB_DIR}
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
  if(MXNET_SANITIZE)
    target_link_options(mxnet_capi PRIVATE -fsanitize=${MXNET_SANITIZE})
  endif()
  set(_stage_depends mxnet mxnet_capi)
else()
  set(_stage_depends mxnet)
endif()

if(NOT SKBUILD)
  add_custom_target(python_stage ALL
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/python/mxnet -DLIBS=${MXNET_LIB_DIR}
            -DSTAGE=${PROJECT_BINARY_DIR}/python/mxnet -P ${PROJECT_SOURCE_DIR}/cmake/stage_python.cmake
    DEPENDS ${_stage_depends} VERBATIM)
endif()

if(SKBUILD)
  install(TARGETS mxnet LIBRARY DESTINATION mxnet)
  if(TARGET mxnet_capi)
    install(TARGETS mxnet_capi LIBRARY DESTINATION mxnet)
  endif()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/capi/include/ DESTINATION mxnet/include)
  foreach(file IN LISTS MXNET_BUNDLED_LIBRARIES)
    get_filename_component(name ${file} NAME)
    install(FILES ${MXNET_LIB_DIR}/${name} DESTINATION mxnet)
  endforeach()
  # The licences of what lies beside the library.
  if(MXNET_OPENBLAS_WHEEL)
    file(GLOB _licences ${_openblas_root}/../scipy_openblas32-*.dist-info/licenses/LICENSE.txt)
    install(FILES ${_licences} DESTINATION mxnet/licenses RENAME OpenBLAS.txt)
  endif()
  if(MXNET_ONEDNN_INCLUDE)
    set(_onednn_documents ${MXNET_ONEDNN_INCLUDE}/../share/doc/onednn)
    install(FILES ${_onednn_documents}/LICENSE DESTINATION mxnet/licenses RENAME oneDNN.txt)
    install(FILES ${_onednn_documents}/THIRD-PARTY-PROGRAMS DESTINATION mxnet/licenses RENAME oneDNN-third-party.txt)
  endif()
endif()
