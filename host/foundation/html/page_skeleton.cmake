# A page is one file that loads nothing: what all pages of Heft share (page.html, page.css and the scripts beside it) and what
# its module adds, put together when Heft is built.
#
#   heft_page_skeleton(VARIABLE NAMESPACE heft::x NAME kXPage HEADER x_page.hpp TITLE "Heft x" SCRIPTS a.js b.js.. [STYLES c.css..] [THREE] [LIVE])
#
# sets VARIABLE to a C++ source that defines heft::x::kXPage as HEADER declares it: the text of the page with the mark
# {{data}} where filled_page ("html/page.hpp") puts the data. Scripts run in the order given, after the shared ones. With
# THREE the page carries three.js, if it is there. With LIVE it may read from the server that sent it; other pages read nothing.
set(HEFT_HTML_FOLDER ${CMAKE_CURRENT_LIST_DIR})

function(heft_page_skeleton variable)
  cmake_parse_arguments(PARSE_ARGV 1 page "THREE;LIVE" "NAMESPACE;NAME;HEADER;TITLE" "SCRIPTS;STYLES")
  set(three "")
  if(page_THREE)
    # bodies in three dimensions; without it they are drawn flat
    find_file(HEFT_THREE_JS three.min.js PATHS /usr/share/javascript/three NO_DEFAULT_PATH
      DOC "three.js as one script that makes THREE (libjs-three); empty: the page draws bodies flat")
    if(HEFT_THREE_JS)
      set(three ${HEFT_THREE_JS})
    else()
      message(STATUS "three.js (libjs-three) is not there: the page draws bodies flat")
    endif()
  endif()
  list(JOIN page_SCRIPTS "," scripts)
  list(JOIN page_STYLES "," styles)
  file(GLOB shared CONFIGURE_DEPENDS ${HEFT_HTML_FOLDER}/*.html ${HEFT_HTML_FOLDER}/*.css ${HEFT_HTML_FOLDER}/*.js ${HEFT_HTML_FOLDER}/*.txt)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${page_NAME}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D SHARED=${HEFT_HTML_FOLDER} -D MODULE=${CMAKE_CURRENT_SOURCE_DIR} -D OUTPUT=${output}
            -D TITLE=${page_TITLE} -D STYLES=${styles} -D SCRIPTS=${scripts} -D HEADER=${page_HEADER}
            -D NAMESPACE=${page_NAMESPACE} -D NAME=${page_NAME} -D THREE=${three} -D LIVE=${page_LIVE} -P ${HEFT_HTML_FOLDER}/embed.cmake
    DEPENDS ${HEFT_HTML_FOLDER}/embed.cmake ${shared} ${page_SCRIPTS} ${page_STYLES} ${three}
    VERBATIM)
  # the header stands beside the sources of its module, the text does not
  set_source_files_properties(${output} PROPERTIES INCLUDE_DIRECTORIES ${CMAKE_CURRENT_SOURCE_DIR})
  set(${variable} ${output} PARENT_SCOPE)
endfunction()
