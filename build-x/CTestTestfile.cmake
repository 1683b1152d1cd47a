# CMake generated Testfile for 
# Source directory: /tmp/wt/pressure
# Build directory: /tmp/wt/pressure/build-x
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
subdirs("test")
