// Written by 'fingerpost testkit probe kotlin --no-op', for the release builds of an app with LinkProbe.
//

package com.example.catalog

import android.app.Application
import android.content.Intent
import org.json.JSONObject

/** Does nothing: release builds are not tested. */
object LinkProbe {
    val stub: String? get() = null
    val session: String? get() = null
    val facts: JSONObject get() = JSONObject()

    fun start(application: Application) = Unit
    fun received(intent: Intent?) = Unit
    fun show(name: String, arguments: Map<String, Any?> = emptyMap()) = Unit
}
