import NIOCore
import Networking

/// The header of the PROXY protocol, version 2 (haproxy.org/download/3.0/doc/proxy-protocol.txt §2.2). A proxy sends it
/// before everything else to name the client for which it opened the connection.
enum ProxyHeader: Equatable {
    /// More bytes are needed.
    case unfinished
    /// The bytes are no such header.
    case malformed
    /// A complete header of `bytes` bytes. The source is nil if the proxy speaks for itself or for a client without an
    /// address.
    case whole(bytes: Int, source: NetworkAddress?)

    /// Maximum size of a header; what proxies add to the addresses takes a few hundred bytes.
    static let mostBytes = 4_096

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let fixedBytes = 16

    /// - Parameter bytes: The connection's bytes from its first on; those after the header are ignored.
    init(_ bytes: ByteBufferView) {
        guard bytes.prefix(Self.signature.count).elementsEqual(Self.signature.prefix(bytes.count)) else {
            self = .malformed
            return
        }
        guard bytes.count >= Self.fixedBytes else {
            self = .unfinished
            return
        }
        let fixed = Array(bytes.prefix(Self.fixedBytes))
        let total = Self.fixedBytes + (Int(fixed[14]) << 8 | Int(fixed[15]))
        guard let addressBytes = Self.addressBytes(command: fixed[12], family: fixed[13]),
            total - Self.fixedBytes >= addressBytes, total <= Self.mostBytes
        else {
            self = .malformed
            return
        }
        guard bytes.count >= total else {
            self = .unfinished
            return
        }
        // The source address comes first. Its size is half of the addresses without their ports.
        let source = bytes.dropFirst(Self.fixedBytes).prefix(addressBytes == 36 ? 16 : 4)
        let isNamed = fixed[12] == 0x21 && (addressBytes == 12 || addressBytes == 36)
        self = .whole(bytes: total, source: isNamed ? NetworkAddress(bytes: source) : nil)
    }

    /// Returns the minimum size of a family's addresses in bytes; nil for what version 2 does not define.
    private static func addressBytes(command: UInt8, family: UInt8) -> Int? {
        // LOCAL: the proxy itself, as in its health checks; its addresses are ignored.
        guard command != 0x20 else { return 0 }
        guard command == 0x21, family & 0x0F <= 2 else { return nil }
        return switch family >> 4 {
        case 0: 0
        case 1: 12
        case 2: 36
        case 3: 216
        default: nil
        }
    }
}
