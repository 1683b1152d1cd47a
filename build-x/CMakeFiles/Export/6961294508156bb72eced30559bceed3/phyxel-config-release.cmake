#----------------------------------------------------------------
# Generated CMake target import file for configuration "Release".
#----------------------------------------------------------------

# Commands may need to know the format version.
set(CMAKE_IMPORT_FILE_VERSION 1)

# Import target "phyxel::phyxel" for configuration "Release"
set_property(TARGET phyxel::phyxel APPEND PROPERTY IMPORTED_CONFIGURATIONS RELEASE)
set_target_properties(phyxel::phyxel PROPERTIES
  IMPORTED_LOCATION_RELEASE "${_IMPORT_PREFIX}/lib/libphyxel.so.0.1.0"
  IMPORTED_SONAME_RELEASE "libphyxel.so.0.1"
  )

list(APPEND _cmake_import_check_targets phyxel::phyxel )
list(APPEND _cmake_import_check_files_for_phyxel::phyxel "${_IMPORT_PREFIX}/lib/libphyxel.so.0.1.0" )

# Commands beyond this point should not need to know the version.
set(CMAKE_IMPORT_FILE_VERSION)
