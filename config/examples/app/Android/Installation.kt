import android.content.Context
import com.android.installreferrer.api.InstallReferrerClient
import com.android.installreferrer.api.InstallReferrerClient.InstallReferrerResponse
import com.android.installreferrer.api.InstallReferrerStateListener
import java.io.IOException
import java.util.UUID
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

/** The referrer of the store's page; null where Google Play has none. Throws if Google Play fails for now. */
private suspend fun installReferrer(context: Context): String? = suspendCancellableCoroutine { continuation ->
    val client = InstallReferrerClient.newBuilder(context).build()
    client.startConnection(object : InstallReferrerStateListener {
        override fun onInstallReferrerSetupFinished(code: Int) {
            val referrer = runCatching {
                when (code) {
                    InstallReferrerResponse.OK -> client.installReferrer.installReferrer
                    InstallReferrerResponse.FEATURE_NOT_SUPPORTED -> null
                    else -> throw IOException("Google Play answers $code")
                }
            }
            client.endConnection()
            // The connection may be lost meanwhile.
            finish(referrer.recoverCatching { throw IOException("Google Play gave no referrer", it) })
        }

        override fun onInstallReferrerServiceDisconnected() = finish(Result.failure(IOException("Google Play is gone")))

        private fun finish(referrer: Result<String?>) {
            if (continuation.isActive) continuation.resumeWith(referrer)
        }
    })
}
