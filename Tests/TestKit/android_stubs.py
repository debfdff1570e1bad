#!/usr/bin/env python3
"""stubs.py FOLDER: writes classes of Android and AndroidX Test, as far as the generated files use them, as Kotlin files.

UiAutomation.executeShellCommandRw starts a real program, so that a test can see what a shell makes of a command.
"""
import sys
from pathlib import Path

FILES = {
    "android.os": '''
class ParcelFileDescriptor(val input: java.io.InputStream?, val output: java.io.OutputStream?) {
    class AutoCloseInputStream(p: ParcelFileDescriptor) : java.io.FilterInputStream(p.input)
    class AutoCloseOutputStream(p: ParcelFileDescriptor) : java.io.FilterOutputStream(p.output)
}
class Bundle {
    fun getString(key: String): String? = System.getenv(key)
    fun getLong(key: String): Long = 0
}
''',
    "android.content": '''
open class Context {
    val assets: android.content.res.AssetManager get() = android.content.res.AssetManager()
    fun getSharedPreferences(name: String, mode: Int): SharedPreferences = throw UnsupportedOperationException()
    companion object { const val MODE_PRIVATE = 0 }
}
interface SharedPreferences {
    fun getString(key: String, default: String?): String?
    fun getLong(key: String, default: Long): Long
    fun edit(): Editor
    interface Editor {
        fun putString(key: String, value: String?): Editor
        fun putLong(key: String, value: Long): Editor
        fun commit(): Boolean
    }
}
class Intent {
    val action: String? get() = null
    companion object { const val ACTION_VIEW = "android.intent.action.VIEW" }
    val dataString: String? get() = null
    fun getStringExtra(name: String): String? = null
}
''',
    "android.content.res": '''
class AssetManager { fun open(name: String): java.io.InputStream = java.io.File(name).inputStream() }
''',
    "android.net": '''
object Uri { @JvmStatic fun encode(text: String): String = text }
''',
    "android.app": '''
open class Activity : android.content.Context() {
    var intent: android.content.Intent? = null
    protected open fun onCreate(savedInstanceState: android.os.Bundle?) {}
    protected open fun onNewIntent(intent: android.content.Intent) {}
    val window: Window? get() = null
}
class Window { val decorView: android.view.View get() = android.view.ViewGroup(null) }
open class Application : android.content.Context() {
    fun registerActivityLifecycleCallbacks(callbacks: ActivityLifecycleCallbacks) {}
    interface ActivityLifecycleCallbacks {
        fun onActivityCreated(activity: Activity, savedInstanceState: android.os.Bundle?)
        fun onActivityStarted(activity: Activity)
        fun onActivityResumed(activity: Activity)
        fun onActivityPaused(activity: Activity)
        fun onActivityStopped(activity: Activity)
        fun onActivitySaveInstanceState(activity: Activity, outState: android.os.Bundle)
        fun onActivityDestroyed(activity: Activity)
    }
}
class UiAutomation {
    fun executeShellCommandRw(command: String): Array<android.os.ParcelFileDescriptor> {
        val process = ProcessBuilder(command.split(" ")).start()
        return arrayOf(
            android.os.ParcelFileDescriptor(process.inputStream, null),
            android.os.ParcelFileDescriptor(null, process.outputStream)
        )
    }
}
class Instrumentation { val uiAutomation = UiAutomation() }
''',
    "android.view": '''
open class View(val context: android.content.Context?) {
    var tag: Any? = null
    var importantForAccessibility: Int = 0
    var contentDescription: CharSequence? = null
    fun <T : View> findViewWithTag(tag: Any): T? = null
    companion object { const val IMPORTANT_FOR_ACCESSIBILITY_YES = 1 }
}
class ViewGroup(context: android.content.Context?) : View(context) {
    class LayoutParams(width: Int, height: Int)
    fun addView(view: View, params: LayoutParams) {}
}
''',
    "androidx.test.platform.app": '''
object InstrumentationRegistry {
    fun getInstrumentation() = android.app.Instrumentation()
    fun getArguments() = android.os.Bundle()
}
''',
    "androidx.test.ext.junit.runners": '''
class AndroidJUnit4
''',
    "androidx.test.uiautomator": '''
class BySelector
object By {
    fun descStartsWith(text: String) = BySelector()
    fun res(pattern: java.util.regex.Pattern) = BySelector()
}
class UiObject2 { val contentDescription: String? get() = null }
class UiDevice {
    fun findObject(selector: BySelector): UiObject2? = null
    fun pressHome(): Boolean = true
    companion object { fun getInstance(instrumentation: android.app.Instrumentation) = UiDevice() }
}
''',
    "org.junit": '''
annotation class Test
annotation class Before
annotation class After
object Assert {
    @JvmStatic fun assertEquals(message: String, one: Any?, other: Any?) { if (one != other) fail(message) }
    @JvmStatic fun assertNotEquals(message: String, one: Any?, other: Any?) { if (one == other) fail(message) }
    @JvmStatic fun assertTrue(message: String, condition: Boolean) { if (!condition) fail(message) }
    @JvmStatic fun fail(message: String) { throw AssertionError(message) }
}
''',
    "org.junit.runner": '''
annotation class RunWith(val value: kotlin.reflect.KClass<*>)
''',
}

JSON = '''
class JSONObject() {
    constructor(text: String) : this()
    constructor(map: Map<*, *>) : this()
    fun isNull(key: String): Boolean = true
    fun get(key: String): Any = this
    fun getString(key: String): String = ""
    fun optString(key: String): String = ""
    fun getJSONObject(key: String): JSONObject = this
    fun getJSONArray(key: String): JSONArray = JSONArray()
    fun keys(): Iterator<String> = emptyList<String>().iterator()
    fun length(): Int = 0
    companion object {
        @JvmField val NULL: Any = Any()
        @JvmStatic fun quote(text: String): String = text
    }
}
class JSONArray {
    fun length(): Int = 0
    fun get(index: Int): Any = this
    fun isNull(index: Int): Boolean = true
    fun getJSONObject(index: Int): JSONObject = JSONObject()
}
class JSONTokener(text: String) { fun nextValue(): Any = JSONObject() }
'''


def main(folder):
    for package, code in dict(FILES, **{"org.json": JSON}).items():
        header = f'@file:Suppress("UNUSED_PARAMETER")\n\npackage {package}\n'
        (Path(folder) / f"{package}.kt").write_text(header + code)


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
