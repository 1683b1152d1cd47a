/// The complete public interface of phyxel.
#ifndef PHYXEL_PHYXEL_H
#define PHYXEL_PHYXEL_H

#include "phyxel/column.h"
#include "phyxel/def.h"
#include "phyxel/display.h"
#include "phyxel/make.h"
#include "phyxel/memory.h"
#include "phyxel/model.h"
#include "phyxel/render.h"
#include "phyxel/run.h"
#include "phyxel/scene.h"
#include "phyxel/shape.h"
#include "phyxel/status.h"
#include "phyxel/store.h"
#include "phyxel/suggest.h"
#include "phyxel/surface.h"
#include "phyxel/vector.h"
#include "phyxel/version.h"
#include "phyxel/world.h"

#endif
