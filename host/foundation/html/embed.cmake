# Makes a C++ source of a page without its data; heft_page_skeleton (page_skeleton.cmake) calls it:
#   cmake -D SHARED=<host/foundation/html> -D MODULE=<folder of the page> -D OUTPUT=<file> -D TITLE=<text> -D STYLES=<a.css,b.css>
#         -D SCRIPTS=<a.js,b.js> -D HEADER=<header.hpp> -D NAMESPACE=<namespace> -D NAME=<constant> [-D THREE=<three.js>] [-D LIVE=ON] -P embed.cmake
# With THREE, three.js is a script element of its own, behind its license. With LIVE, the page may read from the server that sent it.
function(texts_of folder names result)
  string(REPLACE "," ";" names "${names}")
  set(all "")
  foreach(name IN LISTS names)
    file(READ ${folder}/${name} text)
    string(APPEND all "${text}\n")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

file(READ ${SHARED}/page.html page)
texts_of(${SHARED} "page.css" shared_style)
texts_of(${MODULE} "${STYLES}" own_style)
texts_of(${SHARED} "dom.js,doubts.js,chart.js,time_figure.js" shared_scripts)
texts_of(${MODULE} "${SCRIPTS}" own_scripts)
set(library "")
if(THREE)
  file(READ ${THREE} three)
  file(READ ${SHARED}/three_license.txt license)
  set(library "<script id=\"three\">\n/*!\n${license}*/\n${three}\n</script>")
  string(FIND "${three}" "</script" ends_early)
  string(FIND "${three}" ")heft_page\"" ends_string)
  if(NOT ends_early EQUAL -1 OR NOT ends_string EQUAL -1)
    message(FATAL_ERROR "${THREE} cannot be part of a page: it holds </script or )heft_page\"")
  endif()
endif()
string(REPLACE "{{title}}" "${TITLE}" page "${page}")
if(LIVE)
  string(REPLACE "{{connect}}" "; connect-src 'self'" page "${page}")
else()
  string(REPLACE "{{connect}}" "" page "${page}")
endif()
string(REPLACE "{{style}}" "${shared_style}${own_style}" page "${page}")
string(REPLACE "{{library}}" "${library}" page "${page}")
string(REPLACE "{{scripts}}" "${shared_scripts}${own_scripts}" page "${page}")
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace ${NAMESPACE} {

const char* const ${NAME} = R\"heft_page(${page})heft_page\";

}  // namespace ${NAMESPACE}
")
