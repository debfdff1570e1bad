import CMaxMindDB
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file of libmaxminddb.
struct CountryFile: ~Copyable {
    private let database: UnsafeMutablePointer<MMDB_s>

    /// The paths of the country code in vendors' records: MaxMind and DB-IP, then the two forms of IPinfo.
    private static let countryPaths = [["country", "iso_code"], ["country_code"], ["country"]]

    init(_ path: String) throws(CountryDatabase.Failure) {
        let database = UnsafeMutablePointer<MMDB_s>.allocate(capacity: 1)
        database.initialize(to: MMDB_s())
        let status = MMDB_open(path, UInt32(MMDB_MODE_MMAP), database)
        let cause = errno
        guard status == MMDB_SUCCESS else {
            database.deallocate()
            let isUnreadable = status == MMDB_FILE_OPEN_ERROR || status == MMDB_IO_ERROR
            let text = isUnreadable ? UnsafePointer(strerror(cause)) : MMDB_strerror(status)
            let reason = text.map { String(cString: $0) } ?? "status \(status)"
            throw CountryDatabase.Failure(
                description:
                    "\(path) \(isUnreadable ? "cannot be read" : "is not an MMDB file, or is damaged") (\(reason)); write the path of a country database, such as GeoLite2-Country.mmdb, or leave it out."
            )
        }
        self.database = database
    }

    deinit {
        MMDB_close(database)
        database.deallocate()
    }

    /// The type in the file's metadata, such as `GeoLite2-Country`.
    var kind: String { database.pointee.metadata.database_type.map { String(cString: $0) } ?? "" }

    func country(of address: NetworkAddress) -> String? {
        var status = MMDB_SUCCESS
        let socketAddress = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address.bytes), port: 0)
        let result = socketAddress?.withSockAddr { address, _ in MMDB_lookup_sockaddr(database, address, &status) }
        guard status == MMDB_SUCCESS, let result, result.found_entry else { return nil }
        return country(of: result.entry)
    }

    /// The maximum number of nodes to search for a country when the file is opened. Supported files have one in their
    /// first records.
    private static let nodesToRead = 100_000

    /// Whether the tree has a record with a country. Stops at the first one.
    func holdsCountries() -> Bool {
        var pending: [UInt32] = [0]
        for _ in 0..<Self.nodesToRead {
            var node = MMDB_search_node_s()
            guard let number = pending.popLast(), MMDB_read_node(database, number, &node) == MMDB_SUCCESS else {
                return false
            }
            let right = (type: Int32(node.right_record_type), value: node.right_record, entry: node.right_record_entry)
            let left = (type: Int32(node.left_record_type), value: node.left_record, entry: node.left_record_entry)
            for record in [right, left] {
                switch record.type {
                case MMDB_RECORD_TYPE_SEARCH_NODE: pending.append(UInt32(truncatingIfNeeded: record.value))
                case MMDB_RECORD_TYPE_DATA where country(of: record.entry) != nil: return true
                default: continue
                }
            }
        }
        return false
    }

    private func country(of entry: MMDB_entry_s) -> String? {
        for path in Self.countryPaths {
            if let code = code(at: path[...], of: entry) { return code }
        }
        return nil
    }

    private func code(at path: ArraySlice<String>, of entry: MMDB_entry_s) -> String? {
        var entry = entry
        var data = MMDB_entry_data_s()
        let status = Self.withPath(path) { MMDB_aget_value(&entry, &data, $0) }
        guard status == MMDB_SUCCESS, data.has_data, Int32(data.type) == MMDB_DATA_TYPE_UTF8_STRING,
            data.data_size == 2,
            let start = data.utf8_string
        else { return nil }
        let letters = UnsafeBufferPointer(start: start, count: 2).map { UInt8(bitPattern: $0) & ~0x20 }
        let code = String(decoding: letters, as: UTF8.self)
        // ZZ means unassigned.
        let isCode = letters.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return isCode && code != "ZZ" ? code : nil
    }

    // MARK: C interop

    private static func withPath<Result>(
        _ keys: ArraySlice<String>,
        after pointers: [UnsafePointer<CChar>?] = [],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        guard let key = keys.first else {
            return (pointers + [nil]).withUnsafeBufferPointer { body($0.baseAddress) }
        }
        return key.withCString { withPath(keys.dropFirst(), after: pointers + [$0], body) }
    }
}
