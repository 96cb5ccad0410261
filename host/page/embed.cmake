# Makes a C++ source of the page: cmake -D ROOM=<this folder> -D OUTPUT=<file> -D SCRIPTS=<a.js,b.js> -P embed.cmake
file(READ ${ROOM}/page.html page)
file(READ ${ROOM}/page.css style)
string(REPLACE "," ";" SCRIPTS "${SCRIPTS}")
set(scripts "")
foreach(script IN LISTS SCRIPTS)
  file(READ ${ROOM}/${script} text)
  string(APPEND scripts "${text}\n")
endforeach()
string(REPLACE "{{style}}" "${style}" page "${page}")
string(REPLACE "{{scripts}}" "${scripts}" page "${page}")
file(WRITE ${OUTPUT} "#include \"template.hpp\"

namespace heft {

const char* const kPageTemplate = R\"heft_page(${page})heft_page\";

}  // namespace heft
")
