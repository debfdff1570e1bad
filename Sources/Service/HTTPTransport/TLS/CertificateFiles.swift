import Crypto

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The paths of the public port's certificate and key, and the minimum TLS version offered with them.
package struct CertificateFiles: Sendable, Hashable {
    /// Path of a PEM file: the certificate, then its chain to the authority.
    package var certificate: String
    /// Path of a PEM file: the certificate's key, without a passphrase.
    package var key: String
    /// The oldest TLS version that is accepted.
    package var minimumVersion: MinimumVersion

    package enum MinimumVersion: String, Sendable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    package init(certificate: String, key: String, minimumVersion: MinimumVersion = .tls12) {
        self.certificate = certificate
        self.key = key
        self.minimumVersion = minimumVersion
    }

    /// The problem with a file and its correction, in one line.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package let description: String

        init(certificate path: String, _ problem: String) { description = "public.tls.certificate: \(path) \(problem)" }
        init(key path: String, _ problem: String) { description = "public.tls.key: \(path) \(problem)" }
    }

    /// The contents of both files.
    struct Contents {
        let chain: [UInt8]
        let key: [UInt8]
        /// Digests that identify these contents.
        var digests: [SHA256Digest] { [SHA256.hash(data: chain), SHA256.hash(data: key)] }
    }

    /// Maximum size of a file. A chain of RSA certificates with every existing extension takes a tenth of it.
    private static let mostBytes = 1 << 18

    func read() throws(Failure) -> Contents {
        let chain: [UInt8]
        do throws(ReadFailure) { chain = try Self.bytes(of: certificate, .anyone) } catch {
            throw Failure(certificate: certificate, error.problem)
        }
        do throws(ReadFailure) { return Contents(chain: chain, key: try Self.bytes(of: key, .ownerAndGroup)) } catch {
            throw Failure(key: key, error.problem)
        }
    }

    private enum Readers { case anyone, ownerAndGroup }

    private struct ReadFailure: Error { let problem: String }

    private static func bytes(of path: String, _ readers: Readers) throws(ReadFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw ReadFailure(
                problem:
                    "cannot be opened (\(String(cString: strerror(errno)))); write the path of a PEM file that this user may read."
            )
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ReadFailure(problem: "is not a file; write the path of a PEM file.")
        }
        // Checks the opened file, which nobody can replace meanwhile. The group may read it, because Kubernetes'
        // secrets and Debian's ssl-cert rely on that.
        guard readers == .anyone || status.st_mode & 0o027 == 0 else {
            throw ReadFailure(problem: "can be read or changed by other users; run: chmod 600 \(path)")
        }
        guard status.st_size <= mostBytes else {
            throw ReadFailure(problem: "has more than \(mostBytes) bytes; write the path of a PEM file.")
        }
        // A single call reads all of a small file.
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else {
            throw ReadFailure(problem: "cannot be read completely; check whether another process is writing it.")
        }
        return bytes
    }
}
