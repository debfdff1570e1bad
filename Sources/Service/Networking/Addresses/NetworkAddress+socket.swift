package import NIOCore

extension NetworkAddress {
    /// The address of a socket; nil for a Unix domain socket.
    package init?(_ end: SocketAddress?) {
        // Reads at the offsets of the POSIX structures, because their fields belong to a module that NIO does not
        // export.
        switch end {
        case .v4(let end):
            let four = withUnsafeBytes(of: end.address) { $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self) }
            self.init(four: UInt32(bigEndian: four))
        case .v6(let end):
            let six = withUnsafeBytes(of: end.address) { $0.loadUnaligned(fromByteOffset: 8, as: UInt128.self) }
            self.init(bits: UInt128(bigEndian: six))
        case .unixDomainSocket, nil: return nil
        }
    }
}
