import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.setValue
import com.example.shop.links.ShopScreen
import com.example.shop.links.ShopScreenException
import java.io.IOException

/** The screens of a link, from the bottom up. Each link makes a new object, so that the same link opens again. */
class Opening(val path: List<ShopScreen>)

class Navigator(private val links: Links, private val session: Session) {
    var opening by mutableStateOf<Opening?>(null)
        private set
    var page by mutableStateOf<String?>(null)
    var message by mutableStateOf<String?>(null)

    /** The link that continues after the sign-in, with its answer, unless a newer one is followed. */
    var waiting by mutableStateOf<Pair<String, Map<String, Any?>>?>(null)

    suspend fun follow(link: String) {
        waiting = null
        open(link) { links.answer(link, session.isSignedIn) }
    }

    suspend fun userSignedIn() {
        val (link, answer) = waiting ?: return
        waiting = null
        open(link) { links.resume(link, answer) }
    }

    private suspend fun open(link: String, ask: suspend () -> Map<String, Any?>) {
        try {
            val answer = ask()
            val destination = answer["destination"] as? Map<*, *>
            when (answer["action"]) {
                "open_app" -> show(answer, destination)
                "sign_in" -> waiting = link to answer
                "open_store", "update_app" -> page = (destination?.get("store") ?: destination?.get("web")) as? String
                "block" -> message = "This link is not allowed."
                null -> message = "This link leads nowhere in this app."
                else -> page = destination?.get("web") as? String
            }
        } catch (e: IOException) {
            message = "The link cannot be opened. Are you online?"
        }
    }

    private fun show(answer: Map<String, Any?>, destination: Map<*, *>?) {
        try {
            opening = Opening(ShopScreen.path(answer))
        } catch (e: ShopScreenException) {
            page = destination?.get("web") as? String // The table is newer than the app.
        }
    }
}
