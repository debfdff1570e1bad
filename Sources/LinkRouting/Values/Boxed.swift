/// An optional value stored behind a reference. When absent, it takes one word and no allocation.
///
/// Routes have many parts that most of them lack, and a table has up to a million routes.
@propertyWrapper
public struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    private enum Storage: Hashable, Sendable {
        case absent
        indirect case present(Value)
    }

    private var storage: Storage

    public init(wrappedValue: Value?) {
        if let wrappedValue { storage = .present(wrappedValue) } else { storage = .absent }
    }

    /// The wrapper itself, to test for presence without reading the value.
    public var projectedValue: Boxed { self }
    var isPresent: Bool {
        if case .present = storage { true } else { false }
    }

    /// Calls `body` with the value, if there is one, without a copy.
    @inline(__always)
    func withValue(_ body: (Value) -> Void) { if case .present(let value) = storage { body(value) } }

    public var wrappedValue: Value? {
        get {
            guard case .present(let value) = storage else { return nil }
            return value
        }
        set { self = Boxed(wrappedValue: newValue) }
    }
}
