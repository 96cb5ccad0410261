# Whether this build has CUDA: HEFT_CUDA=AUTO asks for a compiler, ON insists, OFF does not look. Included at top level
# because a language is enabled for the directory and what lies below it.

# Machine code for A100, H100, B200 and the RTX of Blackwell, as far as this nvcc knows them (sm_100 and sm_120 since 12.8),
# and PTX of the oldest, which the driver compiles for all that come between or after: PTX runs on its own architecture
# and on newer ones only.
function(heft_cuda_architectures nvcc result)
  execute_process(COMMAND ${nvcc} --list-gpu-code OUTPUT_VARIABLE known COMMAND_ERROR_IS_FATAL ANY)
  set(architectures 80)
  foreach(architecture 90 100 120)
    if(known MATCHES "sm_${architecture}[\r\n]")
      list(APPEND architectures ${architecture}-real)
    endif()
  endforeach()
  set(${result} ${architectures} PARENT_SCOPE)
endfunction()

# Options that a source requires, from the line "// Options of nvcc: .." of its header
function(heft_nvcc_options source result)
  file(STRINGS ${source} line REGEX "^// Options of nvcc: " LIMIT_COUNT 1)
  string(REPLACE "// Options of nvcc: " "" line "${line}")
  separate_arguments(options UNIX_COMMAND "${line}")
  set(${result} ${options} PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
endfunction()

set(HEFT_CUDA_FOUND OFF)
if(NOT HEFT_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      heft_cuda_architectures(${CMAKE_CUDA_COMPILER} CMAKE_CUDA_ARCHITECTURES)
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(HEFT_CUDA_FOUND ON)
  elseif(HEFT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "HEFT_CUDA=ON but no CUDA compiler was found: put nvcc on PATH or use HEFT_CUDA=AUTO")
  endif()
endif()
