@file:Suppress("UNUSED_PARAMETER", "UnusedReceiverParameter")

// Declarations of androidx.activity.compose, as far as the snippets of the docs use them.
package androidx.activity.compose

import androidx.activity.ComponentActivity
import androidx.compose.runtime.Composable

fun ComponentActivity.setContent(content: @Composable () -> Unit) {}
