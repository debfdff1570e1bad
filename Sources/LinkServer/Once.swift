import Synchronization

/// A value that is made by the first who asks for it.
///
/// Who asks meanwhile waits with its thread, which costs no more than making the value a second time would. A failure is not
/// kept: the next one to ask tries again.
package final class Once<Value: Sendable>: Sendable {
    private let made = Mutex<Value?>(nil)

    package init() {}

    package func value(_ make: () throws -> Value) rethrows -> Value {
        try made.withLock { made in
            if let made { return made }
            let value = try make()
            made = value
            return value
        }
    }
}
