#include "offscreen.h"

#include "gl.h"

#include <epoxy/egl.h>
#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct Offscreen {
    EGLDisplay display;
    EGLContext context;
    GlTarget target;
};

void offscreen_close(Offscreen *o)
{
    if (o == NULL)
        return;
    if (o->context != EGL_NO_CONTEXT) {
        gl_target_free(&o->target);
        eglMakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(o->display, o->context);
    }
    if (o->display != EGL_NO_DISPLAY)
        eglTerminate(o->display);
    free(o);
}

Offscreen *offscreen_open(char *error, size_t size)
{
    static const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                    3,
                                    EGL_CONTEXT_MINOR_VERSION,
                                    3,
                                    EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                    EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                    EGL_NONE};
    static const EGLint any[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                 EGL_NONE};
    Offscreen *o = calloc(1, sizeof *o);
    EGLConfig config = NULL;
    EGLint configs = 0;
    const char *missing = NULL;
    if (o == NULL) {
        snprintf(error, size, "no memory");
        return NULL;
    }
    o->context = EGL_NO_CONTEXT;
    o->display = EGL_NO_DISPLAY;
    if (!epoxy_has_egl() ||
        !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        missing = "EGL has no surfaceless platform (Debian: libegl-mesa0 and libgl1-mesa-dri)";
    if (missing == NULL)
        o->display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    if (missing == NULL && (o->display == EGL_NO_DISPLAY || !eglInitialize(o->display, NULL, NULL)))
        missing = "EGL does not start";
    if (missing == NULL && (!eglBindAPI(EGL_OPENGL_API) ||
                            !eglChooseConfig(o->display, any, &config, 1, &configs) || configs < 1))
        missing = "EGL offers no OpenGL";
    if (missing == NULL) {
        o->context = eglCreateContext(o->display, config, EGL_NO_CONTEXT, wanted);
        if (o->context == EGL_NO_CONTEXT ||
            !eglMakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, o->context))
            missing = "the driver has no OpenGL 3.3";
    }
    if (missing != NULL) {
        snprintf(error, size, "%s", missing);
        if (o->context != EGL_NO_CONTEXT)
            eglDestroyContext(o->display, o->context);
        o->context = EGL_NO_CONTEXT;
        offscreen_close(o);
        return NULL;
    }
    return o;
}

bool offscreen_bind(Offscreen *o, int width, int height)
{
    bool good = gl_target_resize(&o->target, width, height, GL_RGBA8);
    glBindFramebuffer(GL_FRAMEBUFFER, o->target.framebuffer);
    return good;
}

void picture_read(uint8_t *pixels, int width, int height)
{
    size_t row = (size_t)width * 4;
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int y = 0; y < height / 2; ++y) { /* OpenGL begins at the bottom */
        uint8_t *a = pixels + (size_t)y * row;
        uint8_t *b = pixels + (size_t)(height - 1 - y) * row;
        for (size_t k = 0; k < row; ++k) {
            uint8_t byte = a[k];
            a[k] = b[k];
            b[k] = byte;
        }
    }
}

uint8_t *offscreen_read(const Offscreen *o)
{
    uint8_t *pixels = malloc((size_t)o->target.width * (size_t)o->target.height * 4 + 1);
    if (pixels == NULL)
        return NULL;
    glBindFramebuffer(GL_FRAMEBUFFER, o->target.framebuffer);
    picture_read(pixels, o->target.width, o->target.height);
    return pixels;
}

void picture_halve(uint8_t *pixels, int width, int height)
{
    float linear[256];
    for (int k = 0; k < 256; ++k) {
        float c = (float)k / 255;
        linear[k] = c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
    }
    size_t row = (size_t)width * 4;
    for (int y = 0; y < height / 2; ++y)
        for (int x = 0; x < width / 2; ++x) {
            const uint8_t *from = pixels + 2 * (size_t)y * row + 8 * (size_t)x;
            uint8_t *to = pixels + ((size_t)y * (size_t)(width / 2) + (size_t)x) * 4;
            for (size_t c = 0; c < 3; ++c) {
                float sum = linear[from[c]] + linear[from[c + 4]] + linear[from[row + c]] +
                            linear[from[row + c + 4]];
                sum /= 4;
                float s = sum <= 0.0031308f ? 12.92f * sum : 1.055f * powf(sum, 1 / 2.4f) - 0.055f;
                to[c] = (uint8_t)lrintf(255 * s);
            }
            to[3] = 255;
        }
}

bool picture_write(const char *path, const uint8_t *pixels, int width, int height, char *error,
                   size_t size)
{
    char partial[4096];
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGBA};
    if (snprintf(partial, sizeof partial, "%s.%ld.phyxel-partial", path, (long)getpid()) >=
        (int)sizeof partial) {
        snprintf(error, size, "the path is too long");
        return false;
    }
    if (!png_image_write_to_file(&image, partial, 0, pixels, 0, NULL) ||
        rename(partial, path) != 0) {
        snprintf(error, size, "%.200s: %s", path,
                 image.message[0] != '\0' ? image.message : strerror(errno));
        unlink(partial);
        return false;
    }
    return true;
}
