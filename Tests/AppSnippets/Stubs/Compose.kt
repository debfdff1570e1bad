@file:Suppress("UNUSED_PARAMETER")

// Declarations of Jetpack Compose, as far as the snippets of the docs use them.
package androidx.compose.runtime

import kotlin.reflect.KProperty
import kotlinx.coroutines.CoroutineScope

@Target(AnnotationTarget.FUNCTION, AnnotationTarget.TYPE, AnnotationTarget.TYPE_PARAMETER, AnnotationTarget.PROPERTY_GETTER)
annotation class Composable

interface State<out T> { val value: T }
interface MutableState<T> : State<T> { override var value: T }

private class Holder<T>(override var value: T) : MutableState<T>

fun <T> mutableStateOf(value: T): MutableState<T> = Holder(value)
operator fun <T> State<T>.getValue(owner: Any?, property: KProperty<*>): T = value
operator fun <T> MutableState<T>.setValue(owner: Any?, property: KProperty<*>, value: T) { this.value = value }

@Composable fun LaunchedEffect(key1: Any?, block: suspend CoroutineScope.() -> Unit) {}

abstract class CompositionLocal<T> { val current: T @Composable get() = throw UnsupportedOperationException() }
