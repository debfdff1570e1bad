import LinkRouting
package import StubMatching

/// Writes the requests and answers of a HAR file as stubs, as if they had been recorded.
package struct HARImport: Sendable {
    private let file: HARFile
    private let mask: SecretMask

    /// - Parameter hosts: The hosts whose requests are taken; empty takes those of the only host.
    /// - Throws: ``SeveralHosts`` if `hosts` is empty and the file has requests to several.
    package init(_ file: HARFile, hosts: Set<String>, mask: SecretMask) throws(SeveralHosts) {
        var file = file
        let counts = Dictionary(file.entries.map { ($0.host, 1) }, uniquingKeysWith: +)
        guard !hosts.isEmpty || counts.count < 2 else { throw SeveralHosts(counts: counts) }
        if !hosts.isEmpty { file.entries.removeAll { !hosts.contains($0.host) } }
        self.file = file
        self.mask = mask
    }

    /// A stub has no host, so the requests to different hosts would be mixed up.
    package struct SeveralHosts: Error, CustomStringConvertible {
        let counts: [String: Int]

        package var description: String {
            let hosts = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            let shown = hosts.prefix(10).map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
            return "the file has requests to \(hosts.count) hosts; choose with --host: \(shown)"
        }
    }

    /// Writes mappings and body files, replacing those of an earlier import of the same requests.
    ///
    /// - Returns: The number of stubs that were written, and the requests that were left out.
    package func write(to path: String) throws -> (stubs: Int, omitted: [Recording.Omission]) {
        let folder = StubFolder(path: path)
        try folder.refuseProductionData()
        try folder.refuseOtherContent()
        let document = JSONNode.object([
            "persist": .bool(true),
            "extractBodyCriteria": .object(["textSizeThreshold": .string("4 kb"), "binarySizeThreshold": .string("0")]),
        ])
        // The bodies of a HAR file are decoded already.
        let recording = try Recording(
            file.events,
            try RecordingSpecification(MappingField(document)),
            mask: mask
        ) { body, _ in body }
        guard recording.stubs.count <= StubStore.maximumCount else {
            throw StubStartFailure(
                kind: .unreadableMapping,
                description: "the file has \(recording.stubs.count) different requests, and a folder can have "
                    + "\(StubStore.maximumCount) stubs; export fewer requests",
                details: []
            )
        }
        var omitted = file.omitted + recording.omitted
        var count = 0
        for (index, recorded) in recording.stubs.enumerated() {
            do {
                try folder.write(recorded, order: index)
                count += 1
            } catch let error as MappingError {
                omitted.append(
                    Recording.Omission(
                        method: recorded.json["request"]?["method"]?.text ?? "ANY",
                        url: recorded.json["name"]?.text ?? recorded.file,
                        reason: "\(error)"
                    )
                )
            }
        }
        return (count, omitted)
    }
}
