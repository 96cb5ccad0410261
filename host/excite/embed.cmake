# Makes a C++ source of the page: cmake -D ROOM=<this folder> -D OUTPUT=<file> -P embed.cmake
file(READ ${ROOM}/page.html page)
file(READ ${ROOM}/page.js script)
string(REPLACE "{{script}}" "${script}" page "${page}")
file(WRITE ${OUTPUT} "#include \"page_template.hpp\"

namespace heft::excite {

const char* const kDesignPage = R\"heft_page(${page})heft_page\";

}  // namespace heft::excite
")
