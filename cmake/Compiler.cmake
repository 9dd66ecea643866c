# Compiler flags: mxnet_options carries them; mxnet_set_isa_flags() gives the files of one instruction set their own.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(mxnet_options INTERFACE)
target_compile_options(mxnet_options INTERFACE -Wall -Wextra -fno-math-errno -fno-semantic-interposition)
if(MXNET_WERROR)
  target_compile_options(mxnet_options INTERFACE -Werror)
endif()

set(MXNET_X86 OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(MXNET_X86 ON)
  target_compile_options(mxnet_options INTERFACE -march=x86-64-v2)
endif()

if(MXNET_SANITIZE)
  target_compile_options(mxnet_options INTERFACE
    -fsanitize=${MXNET_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(mxnet_options INTERFACE -fsanitize=${MXNET_SANITIZE})
endif()

# Kernels written for one instruction set are chosen at run time; only their own files may use it.
function(mxnet_set_isa_flags)
  foreach(file IN LISTS ARGN)
    if(file MATCHES "_avx2\\.cc$" AND MXNET_X86)
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-mf16c")
    elseif(file MATCHES "_avx512\\.cc$" AND MXNET_X86)
      set_source_files_properties(${file} PROPERTIES
        COMPILE_OPTIONS "-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mfma;-mf16c;-mprefer-vector-width=512")
    elseif(file MATCHES "/(kernels/pool|ops/nn/(fully_connected|batch_norm|layer_norm|group_norm))\\.cc$" AND NOT MXNET_SANITIZE)
      # Their loops are worth vectorising in every build; GCC 12 does that at -O3 only.
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-O3")
    endif()
  endforeach()
endfunction()
