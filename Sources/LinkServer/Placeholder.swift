import Atomics
import Hummingbird

enum Placeholder {}
