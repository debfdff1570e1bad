import LinkRouting
import TestKit
import Testing

struct LiteralTests { @Test func x() {} }
