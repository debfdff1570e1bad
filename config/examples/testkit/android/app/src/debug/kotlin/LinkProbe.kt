// LinkProbe: lets UI tests read which screen a link led to, and connects the app to the stub server of a test.
// Written by 'fingerpost testkit probe kotlin'. It belongs into debug builds only.
//
//   1. Put this file into src/debug/kotlin, and the file of 'testkit probe kotlin --no-op' into src/release/kotlin.
//   2. Call LinkProbe.start(this) in Application.onCreate().
//   3. Call LinkProbe.received(intent) in onNewIntent of the activity that receives links. The intent that starts an
//      activity is read without a call.
//   4. Call LinkProbe.show("ProductDetail", mapOf("id" to 123)) when a screen has appeared, with the names of the route
//      table. Report the pages that the app shows instead of a destination as "SignIn" and "Update".
//   5. Send the requests of the app to LinkProbe.stub when it is not null, and resolve links with LinkProbe.facts, which
//      replace the app's own facts (such as "authenticated") in the context.

package com.example.catalog

import android.app.Activity
import android.app.Application
import android.content.Context
import android.content.Intent
import android.os.Bundle
import android.view.View
import android.view.ViewGroup
import org.json.JSONObject

object LinkProbe : Application.ActivityLifecycleCallbacks {
    /** The address of the test's session of the stub server; null outside of a test. */
    var stub: String? = null
        private set

    /** The id of the session, for requests with the header Fingerpost-Session. */
    var session: String? = null
        private set

    /** The facts about the caller that the test replaces. */
    var facts: JSONObject = JSONObject()
        private set

    private const val NAME = "fingerpost.probe"

    /** A start by the system passes no extras, so those of the last start by a test stay valid for this time. */
    private const val VALIDITY = 15 * 60 * 1000L

    private var link: String? = null
    private var screen: Pair<String, Map<String, Any?>>? = null
    private var activity: Activity? = null

    fun start(application: Application) {
        read(application)
        application.registerActivityLifecycleCallbacks(this)
    }

    fun received(intent: Intent?) {
        val data = intent?.dataString ?: return
        link = data
        report()
    }

    /** The arguments are texts, numbers, booleans, lists, maps and null. */
    fun show(name: String, arguments: Map<String, Any?> = emptyMap()) {
        screen = Pair(name, arguments)
        report()
    }

    override fun onActivityCreated(activity: Activity, savedInstanceState: Bundle?) {
        val intent = activity.intent
        val address = intent?.getStringExtra("fingerpostStub")
        if (address != null) {
            activity.getSharedPreferences(NAME, Context.MODE_PRIVATE).edit()
                .putString("stub", address)
                .putString("session", intent.getStringExtra("fingerpostSession"))
                .putString("facts", intent.getStringExtra("fingerpostFacts"))
                .putLong("time", System.currentTimeMillis())
                .commit()
            read(activity)
        }
        received(intent)
    }

    override fun onActivityResumed(activity: Activity) {
        this.activity = activity
        report()
    }

    override fun onActivityPaused(activity: Activity) {
        if (this.activity === activity) this.activity = null
    }

    override fun onActivityStarted(activity: Activity) = Unit
    override fun onActivityStopped(activity: Activity) = Unit
    override fun onActivitySaveInstanceState(activity: Activity, outState: Bundle) = Unit
    override fun onActivityDestroyed(activity: Activity) = Unit

    private fun read(context: Context) {
        val kept = context.getSharedPreferences(NAME, Context.MODE_PRIVATE)
        if (Math.abs(System.currentTimeMillis() - kept.getLong("time", 0)) >= VALIDITY) return
        stub = kept.getString("stub", null)
        session = kept.getString("session", null)
        facts = JSONObject(kept.getString("facts", null) ?: "{}")
    }

    /** Writes the state into a view of one pixel that UI tests find by its content description. */
    private fun report() {
        val (name, arguments) = screen ?: return
        val window = activity?.window ?: return
        if (stub == null) return
        val root = window.decorView as ViewGroup
        val view = root.findViewWithTag<View>(NAME) ?: View(root.context).also {
            it.tag = NAME
            it.importantForAccessibility = View.IMPORTANT_FOR_ACCESSIBILITY_YES
            root.addView(it, ViewGroup.LayoutParams(1, 1))
        }
        val report = mapOf("arguments" to arguments, "link" to link, "screen" to name).filterValues { it != null }
        view.contentDescription = NAME + " " + json(report)
    }

    /** JSON with sorted keys and without escaped slashes, as the probe for iOS writes it. */
    private fun json(value: Any?): String = when (value) {
        null -> "null"
        is Map<*, *> -> value.entries.sortedBy { it.key.toString() }
            .joinToString(",", "{", "}") { json(it.key.toString()) + ":" + json(it.value) }
        is Iterable<*> -> value.joinToString(",", "[", "]") { json(it) }
        is Number, is Boolean -> value.toString()
        else -> JSONObject.quote(value.toString()).replace("\\/", "/")
    }
}
