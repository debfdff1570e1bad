import CZlib
import Crypto
import Logging
import Metrics
import ServiceLifecycle

enum Placeholder {}
