@file:Suppress("UNUSED_PARAMETER")

// Declarations of Navigation, as far as the snippets of the docs use them.
package androidx.navigation

import android.os.Bundle

class NavBackStackEntry { val arguments: Bundle? get() = null }
class NavOptionsBuilder
open class NavController {
    fun navigate(route: String, builder: NavOptionsBuilder.() -> Unit = {}) {}
    fun popBackStack(route: String, inclusive: Boolean, saveState: Boolean = false): Boolean = false
}
class NavHostController : NavController()
class NavGraphBuilder
class NamedNavArgument
class NavArgumentBuilder { var type: NavType<*> = NavType.StringType }
abstract class NavType<T> {
    companion object {
        val StringType: NavType<String?> = object : NavType<String?>() {}
        val LongType: NavType<Long> = object : NavType<Long>() {}
    }
}
fun navArgument(name: String, builder: NavArgumentBuilder.() -> Unit): NamedNavArgument = NamedNavArgument()
