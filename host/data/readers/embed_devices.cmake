# Makes a C++ source of the files of devices:
#   cmake -D FOLDER=<device_data> -D NAMES=<a,b> -D OUTPUT=<file> -P embed_devices.cmake
string(REPLACE "," ";" NAMES "${NAMES}")
set(entries "")
foreach(name IN LISTS NAMES)
  file(READ ${FOLDER}/${name}.yaml text)
  string(APPEND entries "    {\"${name}\", R\"heft_device(${text})heft_device\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"device_files.hpp\"

namespace heft {

const std::vector<DeviceFile>& device_files() {
  static const std::vector<DeviceFile> files = {
${entries}  };
  return files;
}

}  // namespace heft
")
