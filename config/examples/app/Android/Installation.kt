import android.content.Context
import com.android.installreferrer.api.InstallReferrerClient
import com.android.installreferrer.api.InstallReferrerClient.InstallReferrerResponse
import com.android.installreferrer.api.InstallReferrerStateListener
import java.io.IOException
import java.util.UUID
import kotlin.coroutines.resume
import kotlinx.coroutines.suspendCancellableCoroutine

/** The link that a person clicked before the installation; null without one, and after the first start. */
suspend fun Links.linkBeforeInstallation(context: Context): String? {
    val settings = context.getSharedPreferences("links", Context.MODE_PRIVATE)
    if (settings.getString("install", null) != null) return null
    val install = UUID.randomUUID().toString()
    val link = try {
        installReferrer(context)?.let { installed(it, install) }
    } catch (e: IOException) {
        return null // The next start asks again.
    }
    settings.edit().putString("install", install).commit()
    return link
}

/** The referrer of the store's page; null without Google Play. */
private suspend fun installReferrer(context: Context): String? = suspendCancellableCoroutine { continuation ->
    val client = InstallReferrerClient.newBuilder(context).build()
    client.startConnection(object : InstallReferrerStateListener {
        override fun onInstallReferrerSetupFinished(code: Int) {
            // The connection may be lost meanwhile.
            val referrer = runCatching {
                if (code == InstallReferrerResponse.OK) client.installReferrer.installReferrer else null
            }
            client.endConnection()
            finish(referrer.getOrNull())
        }

        override fun onInstallReferrerServiceDisconnected() = finish(null)

        private fun finish(referrer: String?) {
            if (continuation.isActive) continuation.resume(referrer)
        }
    })
}
