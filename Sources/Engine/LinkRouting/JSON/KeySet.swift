/// The keys of one object, to find one that repeats. Small objects, which are the most frequent, need no allocation and no
/// hashing: their keys are compared in the text.
struct KeySet {
    /// The offsets of the first keys in the text. Used as long as all keys are ASCII without escapes.
    private var starts = SIMD16<UInt32>.zero
    private var lengths = SIMD16<UInt32>.zero
    private var count = 0
    /// The offsets of all keys, once there are too many for ``starts`` or one differs from its text.
    private var offsets: [ExactText: Int] = [:]

    /// Returns the offset of the opening quote of an equal key; if there is none, records the key and returns nil.
    ///
    /// - Parameter bytes: The text that is being read.
    mutating func insert(_ key: JSONReader.QuotedText, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard offsets.isEmpty, key.decoded == nil, bytes.count <= Int(UInt32.max) else {
            return insertHashed(key, bytes)
        }
        for index in 0..<count where Int(lengths[index]) == key.bytes.count {
            let start = Int(starts[index])
            let other = UnsafeBufferPointer(rebasing: bytes[start..<(start + key.bytes.count)])
            if other.hasBytes(of: key.bytes) { return start - 1 }
        }
        guard count < SIMD16<UInt32>.scalarCount else { return insertHashed(key, bytes) }
        starts[count] = UInt32(key.start)
        lengths[count] = UInt32(key.bytes.count)
        count += 1
        return nil
    }

    private mutating func insertHashed(_ key: JSONReader.QuotedText, _ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        for index in 0..<count {
            let start = Int(starts[index])
            let text = String(decoding: bytes[start..<(start + Int(lengths[index]))], as: UTF8.self)
            offsets[ExactText(text)] = start - 1
        }
        count = 0
        let text = ExactText(key.text)
        if let first = offsets[text] { return first }
        offsets[text] = key.start - 1
        return nil
    }
}
