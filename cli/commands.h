/// The commands of phyxel and their shared helpers. A command gets the arguments after its
/// name and returns the exit status: 0 success, 1 failure, 2 invalid call or scene.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"
#include "phyxel/phyxel.h"

#include <stdio.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_WRONG = 2 };

int command_run(int argc, char **argv);
int command_branch(int argc, char **argv);
int command_check(int argc, char **argv);
int command_info(int argc, char **argv);
int command_export(int argc, char **argv);
int command_surface(int argc, char **argv);
int command_foam(int argc, char **argv);
int command_render(int argc, char **argv);
int command_make(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_scenes(int argc, char **argv);
int command_schema(int argc, char **argv);
int command_view(int argc, char **argv);

/// Prints to stderr why the last call failed; returns the matching exit status.
int report_failure(PxStatus status, const char *command);

/// "error", "warning" or "note".
const char *severity_word(PxSeverity severity);

/// scene_open() reads a scene, applies --set and prints complaints to `out`. It returns
/// EXIT_DONE when the scene is usable. *scene is NULL when nothing could be read.
void print_complaints(const PxScene *scene, FILE *out);
int scene_open(const char *path, const OptionList *sets, bool deep, FILE *out, PxScene **scene);

/// Plots gauges, forces on walls and the energy balance of a run to DIR/gauges.png, forces.png and
/// energy.png; returns the exit status.
int plot_run(const char *dir);

/// Whether the folder exists; prints an error if not.
bool is_folder(const char *dir, const char *command);

/// Parses a range of frames: "7", "3-9", "3-" or "-9"; an open end leaves its output unchanged.
bool read_frames(const char *text, uint32_t *first, uint32_t *last);

/// Makes surfaces, prints progress and the result; returns the exit status. `command` is the
/// name in messages.
int make_surfaces(const PxSurfaceRunDef *def, bool quiet, const char *command);

/// Makes the surfaces and the foam that frames to be drawn lack although others have them; prints
/// as make_surfaces() does.
int make_lacking(const PxRenderDef *def, bool quiet, const char *command);

/// Makes foam, prints progress and the result; returns the exit status.
int make_foam(const PxFoamRunDef *def, bool quiet, const char *command);

/// Renders pictures, prints progress and the result; returns the exit status. `command` is the
/// name in messages.
int render_pictures(const PxRenderDef *def, bool quiet, bool json, const char *command);

/// Parses WIDTHxHEIGHT into def; prints an error if it is invalid.
bool read_size(const char *text, PxRenderDef *def);

/// Format as "1.2 GB" and "3 min 20 s" into the buffer.
const char *text_bytes(double bytes, char *buffer, size_t size);
const char *text_seconds(double seconds, char *buffer, size_t size);
/// Formats as "12,345" into the buffer.
const char *text_count(double count, char *buffer, size_t size);

/// A text from outside, such as a path, with control characters as '?', because a terminal would
/// obey them; truncated to 4 kB. Valid until four more calls.
const char *text_safe(const char *text);

/// Quotes a path for a shell where necessary.
const char *text_shell(const char *path, char *buffer, size_t size);

/// Catches Ctrl-C and SIGTERM; signals_stop() then asks to stop.
void signals_catch(void);

/// Ends the program so many seconds after such a signal, if its work has not ended by then: for
/// work that is not asked within and that may be given up at any moment.
void signals_end_after(int seconds);
bool signals_stop(void);
/// The same as a PxStopFunction, which stops within steps, surfaces and pictures.
bool signals_stop_work(void *unused);

/// Prints a string as JSON, with quotes.
void json_text(FILE *out, const char *text);

#endif
