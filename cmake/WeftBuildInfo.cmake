# Generates weft/build_info.hpp and its values. Two small libraries, so that a commit relinks only what prints the commit:
# weft_build_id (kVersion, kBuildId; linked into base) and weft_commit (kCommit; linked into workload and cli).
set(build_info_dir "${CMAKE_BINARY_DIR}/generated")
configure_file("${CMAKE_SOURCE_DIR}/cmake/build_info.hpp.in" "${build_info_dir}/weft/build_info.hpp" @ONLY)
set(build_info_script "${CMAKE_SOURCE_DIR}/cmake/WriteBuildInfo.cmake")
add_custom_target(weft_build_info_update
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE_DIR=${CMAKE_SOURCE_DIR}" "-DOUTPUT_DIR=${build_info_dir}"
          "-DVERSION=${PROJECT_VERSION}"
          "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${WEFT_SANITIZE}"
          -P "${build_info_script}"
  BYPRODUCTS "${build_info_dir}/build_id.cpp" "${build_info_dir}/commit.cpp"
  COMMENT "Checking the build id" VERBATIM)
foreach(part build_id commit)
  add_library(weft_${part} STATIC "${build_info_dir}/${part}.cpp")
  add_dependencies(weft_${part} weft_build_info_update)
  target_include_directories(weft_${part} PUBLIC "${build_info_dir}")
endforeach()
