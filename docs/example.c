/// The least program that uses phyxel: which version, and does it answer.
/// cc example.c $(pkg-config --cflags --libs phyxel)
#include <phyxel/phyxel.h>

#include <stdio.h>

int main(void)
{
    printf("phyxel %s: %s\n", PX_VERSION, px_status_name(PX_OK));
    return 0;
}
