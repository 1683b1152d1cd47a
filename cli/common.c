/// Helpers shared by the commands: messages, scenes, signals, text and JSON.
#include "commands.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int report_failure(PxStatus status, const char *command)
{
    const char *message = px_error_message();
    size_t length = strlen(command);
    if (strncmp(message, command, length) == 0 && strncmp(message + length, ": ", 2) == 0)
        message += length + 2; /* some messages already begin with the command */
    fprintf(stderr, "phyxel %s: %s\n", command, message);
    switch (status) {
    case PX_ERR_ARGUMENT:
    case PX_ERR_EXISTS:
        return EXIT_WRONG;
    default:
        return EXIT_FAILED;
    }
}

bool is_folder(const char *dir, const char *command)
{
    struct stat info;
    if (stat(dir, &info) == 0 && S_ISDIR(info.st_mode))
        return true;
    fprintf(stderr, "phyxel %s: there is no folder '%s'; wanted one that 'phyxel run' has made\n",
            command, text_safe(dir));
    return false;
}

const char *severity_word(PxSeverity severity)
{
    return severity == PX_ERROR ? "error" : severity == PX_NOTE ? "note" : "warning";
}

void print_complaints(const PxScene *scene, FILE *out)
{
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        fprintf(out, "%s:", text_safe(c->file));
        if (c->line > 0)
            fprintf(out, "%d:%d:", c->line, c->column);
        if (c->set != NULL)
            fprintf(out, " --set %s:", text_safe(c->set));
        fprintf(out, " %s: ", severity_word(c->severity));
        if (c->place != NULL && c->place[0] != '\0')
            fprintf(out, "%s: ", text_safe(c->place));
        fprintf(out, "%s\n", text_safe(c->text));
    }
}

/* Prints an error of the call and drops the scene. */
static int wrong_call(PxScene **scene, const char *what, const char *item, const char *why)
{
    fprintf(stderr, "phyxel: %s%.80s%s\n", what, text_safe(item), why);
    px_scene_free(*scene);
    *scene = NULL;
    return EXIT_WRONG;
}

int scene_open(const char *path, const OptionList *sets, bool deep, FILE *out, PxScene **scene)
{
    PxStatus status = px_scene_read(path, scene);
    if (*scene == NULL)
        return wrong_call(scene, px_error_message(), "",
                          status == PX_ERR_IO && strchr(path, '/') == NULL
                              ? "; 'phyxel scenes' lists the scenes that come along"
                              : "");
    for (size_t k = 0; k < sets->count; ++k) {
        const char *equals = strchr(sets->item[k], '=');
        char place[256];
        if (equals == NULL || equals == sets->item[k] ||
            (size_t)(equals - sets->item[k]) >= sizeof place)
            return wrong_call(scene, "--set wants PATH=VALUE, got '", sets->item[k], "'");
        snprintf(place, sizeof place, "%.*s", (int)(equals - sets->item[k]), sets->item[k]);
        status = px_scene_set(*scene, place, equals + 1);
        if (status != PX_OK && status != PX_ERR_FORMAT)
            return wrong_call(scene, px_error_message(), "", "");
    }
    if (deep && (status == PX_OK || status == PX_ERR_FORMAT)) /* collects all errors */
        status = px_scene_check(*scene);
    print_complaints(*scene, out);
    return status == PX_OK ? EXIT_DONE : EXIT_WRONG;
}

const char *text_bytes(double bytes, char *buffer, size_t size)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int k = 0;
    while (bytes >= 999.5 && k < 5) {
        bytes /= 1000;
        ++k;
    }
    snprintf(buffer, size, k == 0 || bytes >= 99.5 ? "%.0f %s" : "%.1f %s", bytes, units[k]);
    return buffer;
}

const char *text_seconds(double seconds, char *buffer, size_t size)
{
    if (seconds < 9.95)
        snprintf(buffer, size, "%.1f s", seconds);
    else if (seconds < 99.5)
        snprintf(buffer, size, "%.0f s", seconds);
    else if (seconds < 5970)
        snprintf(buffer, size, "%d min %02d s", (int)(seconds / 60), (int)seconds % 60);
    else if (seconds < 360000)
        snprintf(buffer, size, "%d h %02d min", (int)(seconds / 3600), (int)(seconds / 60) % 60);
    else
        snprintf(buffer, size, "%.0f days", seconds / 86400);
    return buffer;
}

const char *text_count(double count, char *buffer, size_t size)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.0f", count);
    size_t length = strlen(digits), at = 0;
    for (size_t k = 0; k < length && at + 2 < size; ++k) {
        if (k > 0 && (length - k) % 3 == 0 && digits[k - 1] != '-')
            buffer[at++] = ',';
        buffer[at++] = digits[k];
    }
    buffer[at] = '\0';
    return buffer;
}

/* Length of a control character at c in bytes, 0 if it is none: C0, DEL, or U+0080 to U+009F in
 * UTF-8. */
static int control_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
        return 2;
    return c[0] < 0x20 || c[0] == 0x7f;
}

const char *text_safe(const char *text)
{
    static char buffers[4][4096];
    static unsigned next;
    char *out = buffers[next++ % 4];
    size_t at = 0;
    for (const char *c = text; *c != '\0' && at + 1 < sizeof buffers[0];) {
        int control = control_length(c);
        out[at++] = control > 0 ? '?' : *c;
        c += control > 0 ? control : 1;
    }
    out[at] = '\0';
    return out;
}

const char *text_shell(const char *path, char *buffer, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-+,:@%";
    if (path[0] != '\0' && path[0] != '-' && path[strspn(path, plain)] == '\0') {
        snprintf(buffer, size, "%s", path);
        return buffer;
    }
    size_t at = 0;
    at += (size_t)snprintf(buffer, size, "%s'", path[0] == '-' ? "./" : "");
    for (const char *c = path; *c != '\0' && at + 16 < size; ++c)
        if (control_length(c) > 0) /* 'a'$'\033''b' */
            at += (size_t)snprintf(buffer + at, size - at, "'$'\\%03o''", (unsigned char)*c);
        else
            at += (size_t)snprintf(buffer + at, size - at, *c == '\'' ? "'\\''" : "%c", *c);
    snprintf(buffer + at, size - at, "'");
    return buffer;
}

static atomic_int stop_asked; /* read by all threads, written by the handler */
static atomic_int end_after;  /* s; 0: never */

static void ask_stop(int signal_number)
{
    (void)signal_number;
    atomic_store(&stop_asked, 1);
    alarm((unsigned)atomic_load(&end_after));
}

static void end_now(int signal_number)
{
    static const char words[] = "\nphyxel: stopped\n";
    (void)signal_number;
    ssize_t wrote = write(STDERR_FILENO, words, sizeof words - 1);
    (void)wrote;
    _exit(EXIT_FAILED);
}

void signals_end_after(int seconds)
{
    struct sigaction action = {.sa_handler = end_now};
    sigaction(SIGALRM, &action, NULL);
    atomic_store(&end_after, seconds);
}

void signals_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = ask_stop, .sa_flags = SA_RESTART}, before;
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
        /* Keep signals ignored that the parent ignores (nohup, background jobs). */
        if (sigaction(signals[k], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[k], &action, NULL);
}

bool signals_stop(void)
{
    return atomic_load(&stop_asked) != 0;
}

bool signals_stop_work(void *unused)
{
    (void)unused;
    return signals_stop();
}

/* Length of the UTF-8 sequence at c in bytes; 0 if it is invalid. [RFC 3629, section 4] */
static int utf8_length(const unsigned char *c)
{
    int length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    if (c[0] > 0xf4 || (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
        return 0;
    for (int k = 1; k < length; ++k)
        if ((c[k] & 0xc0) != 0x80)
            return 0;
    return length;
}

void json_text(FILE *out, const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    fputc('"', out);
    while (*c != '\0') {
        int length = utf8_length(c);
        if (length == 0) /* a path may have any bytes, JSON must be UTF-8 */
            fputs("\\ufffd", out);
        else if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else
            fwrite(c, 1, (size_t)length, out);
        c += length > 0 ? length : 1;
    }
    fputc('"', out);
}

/* Parses the number of a frame and advances *text past it. */
static bool read_number(const char **text, uint32_t *out)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    unsigned long long value = strtoull(*text, &end, 10);
    *text = end;
    *out = (uint32_t)value;
    return value < UINT32_MAX;
}

bool read_frames(const char *text, uint32_t *first, uint32_t *last)
{
    bool from = read_number(&text, first);
    if (*text == '\0') {
        *last = *first;
        return from;
    }
    if (*text++ != '-')
        return false;
    if (*text == '\0')
        return from;
    return read_number(&text, last) && *text == '\0' && *first <= *last;
}
