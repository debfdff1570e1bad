import android.content.Intent
import android.os.Bundle
import androidx.activity.ComponentActivity
import androidx.activity.compose.setContent
import androidx.lifecycle.lifecycleScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.launch

class MainActivity : ComponentActivity() {
    private val session = Session()
    private val links by lazy {
        val tenant = assets.open("shop.json").use { it.readBytes() }
        Links(tenant, server = "https://go.yourappdomain.com", version = "2.0")
    }
    private val navigator by lazy { Navigator(links, session) }
    private var question: Job? = null

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        setContent { ShopApp(navigator) }
        // After a rotation, the activity is created again with the same intent.
        if (savedInstanceState == null) follow(intent)
    }

    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        follow(intent)
    }

    private fun follow(intent: Intent?) {
        val link = intent?.takeIf { it.action == Intent.ACTION_VIEW }?.dataString
        question?.cancel()
        question = lifecycleScope.launch {
            navigator.follow(link ?: links.linkBeforeInstallation(this@MainActivity) ?: return@launch)
        }
    }
}
