/// Small helpers of OpenGL: programs, buffers, framebuffers.
#ifndef VIEWER_GL_H
#define VIEWER_GL_H

#include <epoxy/gl.h>
#include <stdbool.h>
#include <stddef.h>

/// Compiles and links; `common` is put before the fragment shader. 0 with a message in `error` on
/// failure.
GLuint gl_program(const char *name, const char *vertex, const char *common, const char *fragment,
                  char *error, size_t size);

/// A picture that can be drawn into: colour and depth textures of one size.
typedef struct GlTarget {
    GLuint framebuffer, colour, depth;
    int width, height;
    GLenum format; ///< of the colours
} GlTarget;

/// Makes it that large, if it is not. False when the driver refuses.
bool gl_target_resize(GlTarget *target, int width, int height, GLenum format);
void gl_target_free(GlTarget *target);

/// Replaces the contents of a buffer of vertices or indices.
void gl_fill(GLenum kind, GLuint buffer, const void *data, size_t bytes);

/// Sets uniforms of the program in use; names that it does not have are ignored.
void gl_set1(GLuint program, const char *name, float x);
void gl_set3(GLuint program, const char *name, const float x[3]);
void gl_set4(GLuint program, const char *name, const float x[4]);
void gl_set_word(GLuint program, const char *name, int x);

#endif
