/// The commands. Each gets the words after its name and returns the exit status:
/// 0 done, 1 the run failed, 2 the call or the scene is wrong.
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
int command_render(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_scenes(int argc, char **argv);
int command_schema(int argc, char **argv);

/// Says on stderr why the last call failed; returns the exit status that fits.
int report_failure(PxStatus status, const char *command);

/// Reads a scene and applies --set; complaints go to `out`. EXIT_DONE when it may
/// be used. *scene is NULL when there is none to say anything about.
void print_complaints(const PxScene *scene, FILE *out);
int scene_open(const char *path, const OptionList *sets, bool deep, FILE *out, PxScene **scene);

/// Draws the forces on the walls of a run into DIR/forces.png; the exit status.
int plot_forces(const char *dir);

/// Is there such a folder? Says so when not.
bool is_folder(const char *dir, const char *command);

/// Numbers of frames: "7", "3-9", "3-" or "-9"; an end that is not there stays as it is.
bool read_frames(const char *text, uint32_t *first, uint32_t *last);

/// Makes surfaces, shows how far it is, and says how it ended; the exit status. `command` is
/// who speaks.
int make_surfaces(const PxSurfaceRunDef *def, bool quiet, const char *command);

/// Draws, shows how far it is, and says how it ended; the exit status. `command` is who
/// speaks.
int render_pictures(const PxRenderDef *def, bool quiet, bool json, const char *command);

/// WIDTHxHEIGHT into def; says so when it is no size.
bool read_size(const char *text, PxRenderDef *def);

/// "1.2 GB", "3 min 20 s" into a buffer.
const char *text_bytes(double bytes, char *buffer, size_t size);
const char *text_seconds(double seconds, char *buffer, size_t size);
/// "12,345"
const char *text_count(double count, char *buffer, size_t size);

/// A path as one has to type it in a shell.
const char *text_shell(const char *path, char *buffer, size_t size);

/// Makes Ctrl-C and SIGTERM a request to stop after the work at hand.
void signals_catch(void);
bool signals_stop(void);

/// Prints a string as JSON, with quotes.
void json_text(FILE *out, const char *text);

#endif
