#include "build_info.h"

#define TEXT_OF(tokens) #tokens
#define TEXT(macro) TEXT_OF(macro)

const char *fingerpost_commit(void) { return TEXT(FINGERPOST_COMMIT); }
