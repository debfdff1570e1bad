/// The commit of the sources, as the environment variable FINGERPOST_COMMIT named it to the build; otherwise empty.
const char *fingerpost_commit(void);
