@file:Suppress("UNUSED_PARAMETER")

// Declarations of Navigation Compose, as far as the snippets of the docs use them.
package androidx.navigation.compose

import androidx.compose.runtime.Composable
import androidx.navigation.NamedNavArgument
import androidx.navigation.NavBackStackEntry
import androidx.navigation.NavGraphBuilder
import androidx.navigation.NavHostController

interface AnimatedContentScope

@Composable fun rememberNavController(): NavHostController = NavHostController()

@Composable fun NavHost(navController: NavHostController, startDestination: String, builder: NavGraphBuilder.() -> Unit) {}

fun NavGraphBuilder.composable(
    route: String,
    arguments: List<NamedNavArgument> = emptyList(),
    content: @Composable AnimatedContentScope.(NavBackStackEntry) -> Unit
) {}
