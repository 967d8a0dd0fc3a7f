/* A program for Wine that runs the host's program of its own name: NAME.exe reads all its input, has a shell run NAME with
   the same arguments, and passes on what that printed and its status. Wine starts programs of Linux, but neither connects
   them to its pipes nor waits for them, so that files do both. Arguments may hold no spaces and no quotes. */

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define NO_RESULT 125
#define LIMIT_MS 120000

static char windows_base[MAX_PATH + 64], unix_base[MAX_PATH + 64];

static const char *file(const char *ending) {
    static char path[MAX_PATH + 80];
    snprintf(path, sizeof path, "%s.%s", windows_base, ending);
    return path;
}

static int pass(FILE *from, FILE *to) {
    char bytes[65536];
    size_t count;
    if (!from || !to) return 0;
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, count, to) != count) return 0;
    return 1;
}

static void pass_file(const char *ending, FILE *to) {
    FILE *from = fopen(file(ending), "rb");
    pass(from, to);
    if (from) fclose(from);
    fflush(to);
    remove(file(ending));
}

static int start(const char *name, int argc, char **argv) {
    char line[8192];
    int used = snprintf(line, sizeof line, "/bin/sh -c \"%s", name);
    for (int i = 1; i < argc && used < 4096; i++)
        used += snprintf(line + used, sizeof line - used, " %.256s", argv[i]);
    snprintf(line + used, sizeof line - used,
             " < '%s.in' > '%s.out' 2> '%s.err'; echo $? > '%s.new'; mv '%s.new' '%s.status'\"", unix_base,
             unix_base, unix_base, unix_base, unix_base, unix_base);
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    return CreateProcessA("Z:\\bin\\sh", line, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process);
}

static int status(void) {
    int value = NO_RESULT;
    for (int waited = 0; waited < LIMIT_MS; waited++) {
        FILE *told = fopen(file("status"), "r");
        if (told) {
            if (fscanf(told, "%d", &value) != 1) value = NO_RESULT;
            fclose(told);
            remove(file("status"));
            return value;
        }
        Sleep(1);
    }
    return value;
}

int main(int argc, char **argv) {
    char own[MAX_PATH];
    GetModuleFileNameA(NULL, own, sizeof own);
    char *ending = strrchr(own, '.');
    if (ending) *ending = 0;
    char *name = strrchr(own, '\\');
    if (!name || own[1] != ':') return NO_RESULT;
    snprintf(windows_base, sizeof windows_base, "%s.%lu", own, GetCurrentProcessId());
    /* Wine's drive Z: is the host's root. */
    strcpy(unix_base, windows_base + 2);
    for (char *c = unix_base; *c; c++)
        if (*c == '\\') *c = '/';
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    FILE *input = fopen(file("in"), "wb");
    int written = pass(stdin, input);
    if (input) fclose(input);
    if (!written || !start(name + 1, argc, argv)) return NO_RESULT;
    int result = status();
    pass_file("out", stdout);
    pass_file("err", stderr);
    remove(file("in"));
    return result;
}
