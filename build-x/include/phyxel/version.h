/// Which phyxel this is.
#ifndef PHYXEL_VERSION_H
#define PHYXEL_VERSION_H

#define PX_VERSION "0.1.0"
#define PX_VERSION_MAJOR 0
#define PX_VERSION_MINOR 1
#define PX_VERSION_PATCH 0

#endif
