import android.net.Uri
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.ui.platform.LocalUriHandler
import androidx.navigation.NavType
import androidx.navigation.compose.NavHost
import androidx.navigation.compose.composable
import androidx.navigation.compose.rememberNavController
import androidx.navigation.navArgument
import com.example.shop.links.ShopScreen

val ShopScreen.route: String
    get() = when (this) {
        is ShopScreen.Home -> "home"
        is ShopScreen.ProductDetail -> "product/$id"
        is ShopScreen.Reset -> "reset/${Uri.encode(token)}"
        is ShopScreen.Settings -> "settings"
        is ShopScreen.UserProfile -> "user/${Uri.encode(id)}"
    }

@Composable
fun ShopApp(navigator: Navigator) {
    val controller = rememberNavController()
    NavHost(controller, startDestination = "home") {
        composable("home") { HomeScreen() }
        composable("product/{id}", listOf(navArgument("id") { type = NavType.LongType })) { entry ->
            ProductScreen(entry.arguments?.getLong("id") ?: 0)
        }
        composable("reset/{token}") { entry -> ResetScreen(entry.arguments?.getString("token") ?: "") }
        composable("settings") { SettingsScreen() }
        composable("user/{id}") { entry -> UserScreen(entry.arguments?.getString("id") ?: "") }
    }
    LaunchedEffect(navigator.opening) {
        val path = navigator.opening?.path ?: return@LaunchedEffect
        controller.popBackStack("home", inclusive = false)
        path.filter { it != ShopScreen.Home }.forEach { controller.navigate(it.route) }
    }
    val browser = LocalUriHandler.current
    LaunchedEffect(navigator.page) {
        navigator.page?.let { browser.openUri(it) }
        navigator.page = null
    }
    if (navigator.waiting != null) SignInDialog(onSignIn = { navigator.userSignedIn() })
    navigator.message?.let { MessageDialog(it, onClose = { navigator.message = null }) }
}
