import com.example.links.FingerpostEngine
import java.io.FileNotFoundException
import java.net.HttpURLConnection
import java.net.URI
import java.time.Instant
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import org.json.JSONArray
import org.json.JSONObject

/** Answers links from the bundled table, and asks the server if it must decide. */
class Links(tenant: ByteArray, private val server: String, private val version: String) {
    private val engine = FingerpostEngine(tenant)

    suspend fun answer(link: String, signedIn: Boolean): Map<String, Any?> {
        val request = JSONObject(mapOf("url" to link, "context" to context(signedIn)))
        val answer = values(JSONObject(engine.resolve(request.toString())))
        return if (answer["outcome"] == "undecided") ask(request) else answer
    }

    /** Continues a link after the sign-in: with the server's continuation, if it gave the answer. */
    suspend fun resume(link: String, answer: Map<String, Any?>): Map<String, Any?> {
        val continuation = answer["continuation"] as? Map<*, *> ?: return answer(link, signedIn = true)
        return ask(JSONObject(mapOf("continuation" to continuation["token"], "context" to context(signedIn = true))))
    }

    /** Asks for the link of the click that led to the installation; null if the referrer of Google Play has none. */
    suspend fun installed(referrer: String, install: String): String? {
        val item = referrer.split('&').firstOrNull { it.startsWith("fp=") } ?: return null
        val request = mapOf(
            "tenant" to "shop", "app" to "android", "install" to install, "token" to item.removePrefix("fp="),
            "context" to context(signedIn = false),
        )
        return try {
            ask(JSONObject(request), "/_fp/installs")["link"] as? String
        } catch (e: FileNotFoundException) {
            null // 404: the token has expired.
        }
    }

    private fun context(signedIn: Boolean) = JSONObject(
        mapOf(
            "app" to "android", "platform" to "android", "appVersion" to version, "authenticated" to signedIn,
            "now" to Instant.now().toString(),
        )
    )

    private suspend fun ask(
        request: JSONObject,
        path: String = "/resolve",
    ): Map<String, Any?> = withContext(Dispatchers.IO) {
        val connection = URI(server + path).toURL().openConnection() as HttpURLConnection
        try {
            connection.requestMethod = "POST"
            connection.connectTimeout = 10_000
            connection.readTimeout = 10_000
            connection.doOutput = true
            connection.setRequestProperty("Content-Type", "application/json")
            connection.outputStream.use { it.write(request.toString().toByteArray()) }
            values(JSONObject(connection.inputStream.use { it.readBytes().toString(Charsets.UTF_8) }))
        } finally {
            connection.disconnect()
        }
    }

    /** The generated screens read maps and lists. */
    private fun values(json: JSONObject): Map<String, Any?> =
        json.keys().asSequence().associateWith { if (json.isNull(it)) null else value(json.get(it)) }

    private fun value(json: Any): Any = when (json) {
        is JSONObject -> values(json)
        is JSONArray -> (0 until json.length()).map { if (json.isNull(it)) null else value(json.get(it)) }
        else -> json
    }
}
