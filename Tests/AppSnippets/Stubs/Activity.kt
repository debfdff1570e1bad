// Declarations of androidx.activity, as far as the snippets of the docs use them.
package androidx.activity

open class ComponentActivity : android.app.Activity(), androidx.lifecycle.LifecycleOwner
