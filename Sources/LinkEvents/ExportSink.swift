package import LinkRouting

/// Where finished exports go.
package protocol ExportSink: Sendable {
    /// The manifest's text if the export is there already; then its file is whole.
    func manifest(_ name: String) async throws -> [UInt8]?
    /// Begins a file that nobody sees until it is finished. A file begun earlier under the name is thrown away.
    func create(_ path: String) async throws -> any ExportFile
    /// Writes a manifest at once.
    func write(manifest: [UInt8], name: String) async throws
    /// The names of a tenant's exports, newest first.
    func names(of tenant: TenantID) async throws -> [String]
    /// The bytes of a file from an offset, at most `count`; empty at its end, nil when there is no such file.
    func read(_ path: String, from offset: Int64, count: Int) async throws -> [UInt8]?
}

/// A file that is being written.
package protocol ExportFile: Sendable {
    func write(_ bytes: ArraySlice<UInt8>) throws
    /// Syncs the file and makes it visible under its path.
    func finish() throws
}

extension ExportWindow {
    /// `tenant=shop/dt=2026-11-21/hour=10/events-20261121T110000.000Z`: the UTC hour in which the window's last instant
    /// lies, and its end. Tenants are identifiers, so no part needs escaping.
    package var name: String {
        let last = Timestamp(milliseconds: end.milliseconds - 1).description
        let day = last.prefix(10)
        let hour = last.dropFirst(11).prefix(2)
        let stamp = end.description.replacing("-", with: "").replacing(":", with: "")
        return "tenant=\(tenant)/dt=\(day)/hour=\(hour)/events-\(stamp)"
    }
}
