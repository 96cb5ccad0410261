# Whether this machine can execute CUDA kernels without a device, and how to link a program for it.
set(HEFT_DEVICE_IS_EMULATED OFF)
if(HEFT_CUDA_FOUND AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT HEFT_SANITIZE)
  set(HEFT_DEVICE_IS_EMULATED ON)
endif()

# heft_emulate_device(program plain|checked): its kernels run on the host, and no call reaches the CUDA runtime
function(heft_emulate_device program build)
  set_target_properties(${program} PROPERTIES HEFT_DEVICE heft_device_${build})
  target_link_libraries(${program} PRIVATE heft_device_${build})
  target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)  # the emulated cuBLAS before any other
endfunction()
