#include "gl.h"

#include <stdio.h>

static GLuint compile(GLenum kind, const char *name, const char *common, const char *source,
                      char *error, size_t size)
{
    const char *text[] = {common, source};
    GLuint shader = glCreateShader(kind);
    GLint good = 0;
    glShaderSource(shader, 2, text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good) {
        char log[800] = "";
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        snprintf(error, size, "shader '%s': %s", name, log);
        glDeleteShader(shader);
        return 0;
    }
    return shader;
}

GLuint gl_program(const char *name, const char *vertex, const char *common, const char *fragment,
                  char *error, size_t size)
{
    GLuint v = compile(GL_VERTEX_SHADER, name, "", vertex, error, size);
    GLuint f = v != 0 ? compile(GL_FRAGMENT_SHADER, name, common, fragment, error, size) : 0;
    GLuint program = 0;
    if (v != 0 && f != 0) {
        GLint good = 0;
        program = glCreateProgram();
        glAttachShader(program, v);
        glAttachShader(program, f);
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &good);
        if (!good) {
            char log[800] = "";
            glGetProgramInfoLog(program, sizeof log, NULL, log);
            snprintf(error, size, "shader '%s': %s", name, log);
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(v);
    glDeleteShader(f);
    return program;
}

static GLuint texture(GLenum format, int width, int height)
{
    GLuint name;
    GLenum base = format == GL_DEPTH_COMPONENT24 ? GL_DEPTH_COMPONENT : GL_RGBA;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, base, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return name;
}

void gl_target_free(GlTarget *t)
{
    glDeleteFramebuffers(1, &t->framebuffer);
    glDeleteTextures(1, &t->colour);
    glDeleteTextures(1, &t->depth);
    *t = (GlTarget){0};
}

bool gl_target_resize(GlTarget *t, int width, int height, GLenum format)
{
    if (t->framebuffer != 0 && t->width == width && t->height == height && t->format == format)
        return true;
    gl_target_free(t);
    t->width = width;
    t->height = height;
    t->format = format;
    t->colour = texture(format, width, height);
    t->depth = texture(GL_DEPTH_COMPONENT24, width, height);
    glGenFramebuffers(1, &t->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->colour, 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, t->depth, 0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

void gl_fill(GLenum kind, GLuint buffer, const void *data, size_t bytes)
{
    glBindBuffer(kind, buffer);
    glBufferData(kind, (GLsizeiptr)bytes, data, GL_STREAM_DRAW);
}

void gl_set1(GLuint program, const char *name, float x)
{
    glUniform1f(glGetUniformLocation(program, name), x);
}

void gl_set3(GLuint program, const char *name, const float x[3])
{
    glUniform3fv(glGetUniformLocation(program, name), 1, x);
}

void gl_set4(GLuint program, const char *name, const float x[4])
{
    glUniform4fv(glGetUniformLocation(program, name), 1, x);
}

void gl_set_word(GLuint program, const char *name, int x)
{
    glUniform1i(glGetUniformLocation(program, name), x);
}
