import Foundation

/// Where the catalog's PostgreSQL is, and how to sign in.
package struct PostgresAddress: Sendable, Hashable {
    package struct Host: Sendable, Hashable, CustomStringConvertible {
        /// A name or address; or the folder of a local socket, which begins with a slash.
        package let name: String
        package let port: Int

        package init(name: String, port: Int = 5_432) {
            self.name = name
            self.port = port
        }

        package var description: String { "\(name):\(port)" }
        var isLocalSocket: Bool { name.hasPrefix("/") }
    }

    /// One primary and its standbys. The one that takes writes is used.
    package let hosts: [Host]
    package let database: String
    package let user: String
    /// A file with the password in its first line, read for each connection; only its owner may read it.
    package let passwordFile: String?
    /// The authorities of the servers' certificates, as PEM; nil for `~/.postgresql/root.crt`.
    package let caFile: String?

    package init(hosts: [Host], database: String, user: String, passwordFile: String? = nil, caFile: String? = nil) {
        self.hosts = hosts
        self.database = database
        self.user = user
        self.passwordFile = passwordFile
        self.caFile = caFile
    }

    /// Throws ``PostgresError/unsuitable(_:)`` for an unreadable password file.
    func parameters(for host: Host) throws(PostgresError) -> [String: String] {
        var parameters = [
            "host": host.name, "port": "\(host.port)", "dbname": database, "user": user,
            "application_name": "fingerpost", "client_encoding": "UTF8", "target_session_attrs": "read-write",
            "gssencmode": "disable", "sslmode": host.isLocalSocket ? "disable" : "verify-full",
        ]
        if let password = try password() { parameters["password"] = password }
        if let caFile { parameters["sslrootcert"] = caFile }
        return parameters
    }

    private func password() throws(PostgresError) -> String? {
        guard let passwordFile else { return nil }
        var status = stat()
        guard stat(passwordFile, &status) == 0, let bytes = FileManager.default.contents(atPath: passwordFile) else {
            throw .unsuitable("store.passwordFile: \(passwordFile) cannot be read: check the path and its owner.")
        }
        // Kubernetes mounts secrets as root's, readable by the group of the process.
        let othersRights: mode_t = status.st_uid == 0 && geteuid() != 0 ? 0o037 : 0o077
        guard status.st_mode & othersRights == 0 else {
            throw .unsuitable("store.passwordFile: others can read \(passwordFile): run 'chmod 600 \(passwordFile)'.")
        }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
