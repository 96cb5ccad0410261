# A module is a library, and the modules that it is linked to are the only ones whose headers it finds: link lines
# are the architecture, and what includes against them does not compile.
#
#   heft_module(NAME [SOURCES file..] [PUBLIC target..] [PRIVATE target..])
#
# makes heft::NAME of the current folder. PUBLIC are modules and packages whose nouns its headers speak of, PRIVATE those that
# only its sources need. Without sources it is headers alone. In its folder
#
#   include/heft/NAME/*.hpp   are public and installed:   #include "heft/NAME/noun.hpp"
#   shared/NAME/*.hpp         are for other modules:      #include "NAME/step.hpp"
#   headers beside sources    are its own:                #include "detail.hpp"
#
# Header-only packages that users of the library need not find are written $<BUILD_INTERFACE:package>.
# Symbols are hidden, but for what the first two kinds of headers declare between visibility pragmas.
set(heft_properties_of_modules POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
function(heft_module name)
  cmake_parse_arguments(PARSE_ARGV 1 module "" "" "SOURCES;PUBLIC;PRIVATE")
  if(module_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heft_module(${name}): what is ${module_UNPARSED_ARGUMENTS}?")
  endif()
  set(target heft_${name})
  if(module_SOURCES)
    add_library(${target} ${module_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PUBLIC ${module_PUBLIC} PRIVATE ${module_PRIVATE} $<BUILD_INTERFACE:heft_options>)
    set_target_properties(${target} PROPERTIES ${heft_properties_of_modules} DEFINE_SYMBOL "")
    heft_take_precompiled(${target} modules)
    if(BUILD_SHARED_LIBS)
      set(map ${PROJECT_SOURCE_DIR}/cmake/exported.map)
      target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined)
      set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
    target_link_libraries(${target} INTERFACE ${module_PUBLIC})
  endif()
  add_library(heft::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${scope} cxx_std_20)
  foreach(folder include shared)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
      target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/${folder}>)
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY HEFT_MODULES ${name})
endfunction()
