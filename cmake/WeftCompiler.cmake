# Compiler, linker, cache and output folders: the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# No debug information in Release: DuckDB and libcudf templates would make links several times slower.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CUDA_FLAGS_RELEASE "-O2 -DNDEBUG")
# Never -DDEBUG: DuckDB's headers change class layouts under it, and its archive is a release build.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/archive")

find_program(WEFT_CCACHE ccache)
if(WEFT_CCACHE)
  # The sloppiness is what ccache needs to cache a compilation that uses a precompiled header.
  set(weft_launcher "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime;${WEFT_CCACHE}")
  foreach(language C CXX CUDA)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${weft_launcher}")
  endforeach()
endif()

find_program(WEFT_MOLD mold)
find_program(WEFT_LLD ld.lld)
if(WEFT_MOLD)
  add_link_options("$<$<LINK_LANGUAGE:C,CXX>:-fuse-ld=mold>")
elseif(WEFT_LLD)
  add_link_options("$<$<LINK_LANGUAGE:C,CXX>:-fuse-ld=lld>")
endif()

# Options of Weft's own targets (not of DuckDB's loader). -Wno-missing-field-initializers: designated initializers leave fields
# to their defaults on purpose. -Wno-restrict, -Wno-maybe-uninitialized: GCC's known false positives on std::string (PR 105651) and on
# std::variant and std::optional members (PR 80635); the sanitizers and clang-tidy look for the real ones.
add_library(weft_options INTERFACE)
set(weft_warnings -Wall -Wextra -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND weft_warnings -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(WEFT_WERROR)
  list(APPEND weft_warnings -Werror)
endif()
list(JOIN weft_warnings "," weft_cuda_warnings)
target_compile_options(weft_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${weft_warnings}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${weft_cuda_warnings}>")
if(WEFT_SANITIZE)
  target_compile_options(weft_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${WEFT_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  target_link_options(weft_options INTERFACE "-fsanitize=${WEFT_SANITIZE}")
endif()
target_include_directories(weft_options INTERFACE "${CMAKE_SOURCE_DIR}/src")
find_package(Threads REQUIRED)
target_link_libraries(weft_options INTERFACE Threads::Threads)
