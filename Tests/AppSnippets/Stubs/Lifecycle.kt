@file:Suppress("UnusedReceiverParameter")

// Declarations of androidx.lifecycle, as far as the snippets of the docs use them.
package androidx.lifecycle

import kotlinx.coroutines.CoroutineScope

interface LifecycleOwner

val LifecycleOwner.lifecycleScope: CoroutineScope get() = throw UnsupportedOperationException()
