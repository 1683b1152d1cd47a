/// Runs a fuzz target on every file of its corpus without libFuzzer, so that every build and
/// sanitizer replays earlier findings.
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    long size = ftell(file);
    rewind(file);
    /* exactly as large as the input, so that reading past its end is seen */
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    if (size < 0 || data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return 1;
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int k = 1; k < argc; ++k) {
        DIR *directory = opendir(argv[k]);
        if (directory == NULL) {
            fprintf(stderr, "%s: %s\n", argv[k], strerror(errno));
            return 1;
        }
        for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
            if (entry->d_name[0] == '.')
                continue;
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[k], entry->d_name);
            if (replay(path) != 0)
                return 1;
            ++count;
        }
        closedir(directory);
    }
    if (count == 0) {
        fprintf(stderr, "no corpus: nothing was replayed\n");
        return 1;
    }
    printf("%d inputs\n", count);
    return 0;
}
