import Foundation
import Networking

/// Writes minimal MMDB files for tests (https://maxmind.github.io/MaxMind-DB/), with records of 24 bits.
struct CountryFileWriter {
    enum Value {
        case text(String)
        case map([(String, Value)])
        case list([Value])
        /// The bytes of a number, and its type.
        case number(UInt64, type: UInt8)
    }

    private enum Record {
        case empty
        case node(Int)
        case data(Int)
    }

    let kind: String
    let ipVersion: Int
    private var nodes: [[Record]] = [[.empty, .empty]]
    private(set) var data: [UInt8] = []

    init(kind: String = "Test-Country", ipVersion: Int = 6) {
        self.kind = kind
        self.ipVersion = ipVersion
    }

    /// `192.0.2.0/24` or `2001:db8::/32`. In an IPv6 file, an IPv4 network lies in `::/96`.
    mutating func add(_ network: String, _ value: Value) {
        let parts = network.split(separator: "/")
        guard parts.count == 2, let address = NetworkAddress(parts[0]), let length = Int(parts[1]) else {
            preconditionFailure("'\(network)' is no network")
        }
        let isWidened = ipVersion == 6 && address.bytes.count == 4
        let bytes = (isWidened ? [UInt8](repeating: 0, count: 12) : []) + address.bytes
        let bits = (0..<(length + (isWidened ? 96 : 0))).map { Int(bytes[$0 / 8] >> UInt8(7 - $0 % 8) & 1) }
        var node = 0
        for bit in bits.dropLast() {
            if case .node(let next) = nodes[node][bit] {
                node = next
            } else {
                nodes.append([.empty, .empty])
                nodes[node][bit] = .node(nodes.count - 1)
                node = nodes.count - 1
            }
        }
        nodes[node][bits.last ?? 0] = .data(data.count)
        data += Self.bytes(of: value)
    }

    var file: [UInt8] {
        var tree: [UInt8] = []
        for record in nodes.joined() {
            let number =
                switch record {
                case .empty: nodes.count
                case .node(let index): index
                case .data(let offset): nodes.count + 16 + offset
                }
            tree += [UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)]
        }
        let metadata = Value.map([
            ("node_count", .number(UInt64(nodes.count), type: 6)), ("record_size", .number(24, type: 5)),
            ("ip_version", .number(UInt64(ipVersion), type: 5)), ("database_type", .text(kind)),
            ("languages", .list([.text("en")])), ("binary_format_major_version", .number(2, type: 5)),
            ("binary_format_minor_version", .number(0, type: 5)), ("build_epoch", .number(1_795_255_200, type: 9)),
            ("description", .map([("en", .text("test"))])),
        ])
        return tree + [UInt8](repeating: 0, count: 16) + data + [0xAB, 0xCD, 0xEF] + Array("MaxMind.com".utf8)
            + Self.bytes(of: metadata)
    }

    private static func bytes(of value: Value) -> [UInt8] {
        switch value {
        case .text(let text): control(2, text.utf8.count) + Array(text.utf8)
        case .map(let pairs): control(7, pairs.count) + pairs.flatMap { bytes(of: .text($0)) + bytes(of: $1) }
        case .list(let values): control(11, values.count) + values.flatMap(bytes)
        case .number(let number, let type):
            control(type, 8 - number.leadingZeroBitCount / 8)
                + withUnsafeBytes(of: number.bigEndian) { $0.drop { $0 == 0 } }
        }
    }

    private static func control(_ type: UInt8, _ size: Int) -> [UInt8] {
        type < 8 ? [type << 5 | UInt8(size)] : [UInt8(size), type - 7]
    }
}
