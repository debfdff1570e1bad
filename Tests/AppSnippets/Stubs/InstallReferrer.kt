// Declarations of Google's library com.android.installreferrer, as far as the snippets of the docs use them.
package com.android.installreferrer.api

import android.content.Context

class ReferrerDetails { val installReferrer: String get() = throw UnsupportedOperationException() }

interface InstallReferrerStateListener {
    fun onInstallReferrerSetupFinished(code: Int)
    fun onInstallReferrerServiceDisconnected()
}

abstract class InstallReferrerClient {
    abstract val installReferrer: ReferrerDetails
    abstract fun startConnection(listener: InstallReferrerStateListener)
    abstract fun endConnection()

    object InstallReferrerResponse {
        const val OK = 0
        const val FEATURE_NOT_SUPPORTED = 2
    }

    class Builder { fun build(): InstallReferrerClient = throw UnsupportedOperationException() }

    companion object { fun newBuilder(context: Context): Builder = Builder().also { println(context) } }
}
