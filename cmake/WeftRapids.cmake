# weft::rapids: libcudf, rmm and nvrtc from the wheels in tools/deps' virtual environment; nvcc from the machine, or from
# the wheel that tools/deps adds when the machine has none.
file(GLOB weft_site_packages "${weft_deps}/venv/lib/python3*/site-packages")
if(NOT weft_site_packages OR NOT EXISTS "${weft_site_packages}/libcudf")
  message(FATAL_ERROR "libcudf is not in ${weft_deps}/venv: run tools/deps")
endif()
foreach(package libcudf librmm rapids_logger libkvikio nvidia/libnvcomp)
  list(APPEND CMAKE_PREFIX_PATH "${weft_site_packages}/${package}")
endforeach()

if(NOT CMAKE_CUDA_COMPILER)
  find_program(weft_nvcc nvcc
    HINTS ENV CUDACXX ENV CUDA_HOME "${weft_deps}/nvcc/nvidia/cu13/bin" /usr/local/cuda/bin PATH_SUFFIXES bin)
  if(NOT weft_nvcc)
    message(FATAL_ERROR "No nvcc found: run tools/deps, or configure with -DWEFT_GPU=OFF")
  endif()
  set(CMAKE_CUDA_COMPILER "${weft_nvcc}")
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "75-real;80-real;86-real;90-real;100-real;120" CACHE STRING "GPU architectures")
endif()
enable_language(CUDA)
find_package(CUDAToolkit 13 REQUIRED)
set(nvidia_root "${weft_site_packages}/nvidia/cu13")
if(NOT TARGET CUDA::cuFile)
  # kvikio insists on this target; the wheel has the library under its versioned name only, where CMake does not look.
  add_library(CUDA::cuFile SHARED IMPORTED)
  set_target_properties(CUDA::cuFile PROPERTIES IMPORTED_LOCATION "${nvidia_root}/lib/libcufile.so.0")
  target_include_directories(CUDA::cuFile INTERFACE "${nvidia_root}/include")
endif()
find_package(cudf 26.10 REQUIRED)

# What libcudf loads must be loaded by libweft_gpu.so itself, first: libcudf has a RUNPATH of its own ($ORIGIN), which makes the
# loader ignore its parent's RPATH, but a library that is already loaded under the same name satisfies it. The linker must not
# insist on resolving libcudf's own needs, and must keep these although Weft calls few of them.
set(weft_rapids_library_dirs
  "${weft_site_packages}/libcudf/lib64" "${weft_site_packages}/librmm/lib64" "${weft_site_packages}/rapids_logger/lib64"
  "${weft_site_packages}/libkvikio/lib64" "${weft_site_packages}/nvidia/libnvcomp/lib64" "${nvidia_root}/lib")
file(GLOB weft_loaded_first
  "${weft_site_packages}/nvidia/libnvcomp/lib64/libnvcomp.so.?" "${weft_site_packages}/rapids_logger/lib64/librapids_logger.so"
  "${weft_site_packages}/libkvikio/lib64/libkvikio.so" "${nvidia_root}/lib/libnvJitLink.so.??" "${nvidia_root}/lib/libnvrtc.so.??")
list(LENGTH weft_loaded_first count)
if(NOT count EQUAL 5)
  message(FATAL_ERROR "The RAPIDS wheels in ${weft_site_packages} are incomplete (${weft_loaded_first}): run tools/deps")
endif()

add_library(weft_rapids INTERFACE)
add_library(weft::rapids ALIAS weft_rapids)
target_link_options(weft_rapids INTERFACE -Wl,--disable-new-dtags -Wl,--allow-shlib-undefined)
target_link_libraries(weft_rapids INTERFACE
  -Wl,--push-state,--no-as-needed ${weft_loaded_first} -Wl,--pop-state cudf::cudf rmm::rmm CUDA::cudart_static)
target_include_directories(weft_rapids SYSTEM INTERFACE "${nvidia_root}/include")

# For tools and machines that set LD_LIBRARY_PATH instead.
list(JOIN weft_rapids_library_dirs ":" weft_rapids_library_path)
file(WRITE "${CMAKE_BINARY_DIR}/gpu_library_path.txt" "${weft_rapids_library_path}\n")
