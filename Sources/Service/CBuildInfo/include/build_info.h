/// The commit of the sources, as the environment variable BUILD_COMMIT named it to the build; otherwise empty.
const char *build_commit(void);
