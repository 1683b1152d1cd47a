#include "base/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

void px_machine_name(char *out, size_t size)
{
    struct utsname name;
    snprintf(out, size, "%s", uname(&name) == 0 ? name.machine : "unknown");
    FILE *info = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (info != NULL && fgets(line, sizeof line, info) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(out, size, "%s", colon + 2);
            out[strcspn(out, "\n")] = '\0';
            break;
        }
    }
    if (info != NULL)
        fclose(info);
}
