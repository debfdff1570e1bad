#include "build_info.h"

#define TEXT_OF(tokens) #tokens
#define TEXT(macro) TEXT_OF(macro)

const char *build_commit(void) { return TEXT(BUILD_COMMIT); }
