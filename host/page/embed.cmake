# Makes a C++ source of the page: cmake -D ROOM=<this folder> -D OUTPUT=<file> -D SCRIPTS=<a.js,b.js> [-D THREE=<three.js>]
# -P embed.cmake. With THREE, three.js is a script element of its own, behind its licence.
file(READ ${ROOM}/page.html page)
file(READ ${ROOM}/page.css style)
string(REPLACE "," ";" SCRIPTS "${SCRIPTS}")
set(scripts "")
foreach(script IN LISTS SCRIPTS)
  file(READ ${ROOM}/${script} text)
  string(APPEND scripts "${text}\n")
endforeach()
set(library "")
if(THREE)
  file(READ ${THREE} three)
  file(READ ${ROOM}/three_license.txt license)
  set(library "<script id=\"three\">\n/*!\n${license}*/\n${three}\n</script>")
  string(FIND "${three}" "</script" ends_early)
  string(FIND "${three}" ")heft_page\"" ends_string)
  if(NOT ends_early EQUAL -1 OR NOT ends_string EQUAL -1)
    message(FATAL_ERROR "${THREE} cannot be part of a page: it holds </script or )heft_page\"")
  endif()
endif()
string(REPLACE "{{style}}" "${style}" page "${page}")
string(REPLACE "{{library}}" "${library}" page "${page}")
string(REPLACE "{{scripts}}" "${scripts}" page "${page}")
file(WRITE ${OUTPUT} "#include \"template.hpp\"

namespace heft {

const char* const kPageTemplate = R\"heft_page(${page})heft_page\";

}  // namespace heft
")
