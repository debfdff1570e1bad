/// Headers of version 2 of the PROXY protocol.
package enum ProxyHeaderBytes {
    package static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
    /// A connection of 203.0.113.7.
    package static let four: [UInt8] = signature + [0x21, 0x11, 0, 12, 203, 0, 113, 7, 10, 0, 0, 1, 0x9C, 0x40, 0, 80]
}
