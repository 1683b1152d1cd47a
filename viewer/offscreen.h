/// Pictures without a display: an OpenGL context through EGL surfaceless, and PNG files.
#ifndef VIEWER_OFFSCREEN_H
#define VIEWER_OFFSCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Offscreen Offscreen;

/// Makes a context of OpenGL 3.3 core current that needs no display. NULL with a message in `error`
/// on failure.
Offscreen *offscreen_open(char *error, size_t size);
/// Accepts NULL.
void offscreen_close(Offscreen *offscreen);

/// Binds a framebuffer of that size; false when the driver refuses.
bool offscreen_bind(Offscreen *offscreen, int width, int height);

/// Reads that framebuffer as rows from the top, 4 bytes a pixel. Free it. NULL: no memory.
uint8_t *offscreen_read(const Offscreen *offscreen);

/// Reads the framebuffer that is bound, of that size, as rows from the top.
void picture_read(uint8_t *pixels, int width, int height);

/// Halves the picture in both directions, in place, averaging linear light.
void picture_halve(uint8_t *pixels, int width, int height);

/// Writes a PNG file atomically; false with a message.
bool picture_write(const char *path, const uint8_t *pixels, int width, int height, char *error,
                   size_t size);

#endif
