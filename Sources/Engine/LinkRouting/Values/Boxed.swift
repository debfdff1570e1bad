/// An optional value stored behind a reference. When absent, it takes one word and no allocation.
///
/// Routes have many parts that most of them lack, and a table has up to a million routes.
@propertyWrapper
public struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The storage is not an indirect enum, because the value of a class can be read in place, without a copy.
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    public init(wrappedValue: Value?) { box = wrappedValue.map(Box.init) }

    public static func == (left: Boxed, right: Boxed) -> Bool {
        left.box === right.box || left.box?.value == right.box?.value
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(box?.value) }

    /// The wrapper itself, to test for presence without reading the value.
    public var projectedValue: Boxed { self }
    var isPresent: Bool { box != nil }

    /// Calls `body` with the value, if there is one, without a copy.
    @inline(__always)
    func withValue(_ body: (Value) -> Void) { if let box { body(box.value) } }

    public var wrappedValue: Value? {
        get { box?.value }
        set { self = Boxed(wrappedValue: newValue) }
    }
}
