// Declarations of androidx.compose.ui.platform, as far as the snippets of the docs use them.
package androidx.compose.ui.platform

import androidx.compose.runtime.CompositionLocal

interface UriHandler { fun openUri(uri: String) }

val LocalUriHandler: CompositionLocal<UriHandler> get() = throw UnsupportedOperationException()
