// What an app of its own has, and docs/app.md does not show.
import androidx.compose.runtime.Composable

class Session { val isSignedIn: Boolean get() = false }

@Composable fun HomeScreen() {}
@Composable fun ProductScreen(id: Long) { check(id >= 0) }
@Composable fun ResetScreen(token: String) { check(token.isNotEmpty()) }
@Composable fun SettingsScreen() {}
@Composable fun UserScreen(id: String) { check(id.isNotEmpty()) }
@Composable fun MessageDialog(text: String, onClose: () -> Unit) { check(text.isNotEmpty() && onClose != {}) }
@Composable fun SignInDialog(onSignIn: suspend () -> Unit) { check(onSignIn != {}) }
