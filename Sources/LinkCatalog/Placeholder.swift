import Crypto
import Yams

enum Placeholder {}
