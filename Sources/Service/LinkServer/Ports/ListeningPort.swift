package import HTTPTransport
import NIOCore
package import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A port that serves until the service shuts down. It then accepts no more connections, and ends when the received
/// requests are answered or the shutdown is forced. Throws a ``BindError`` if it cannot listen on its address.
package struct ListeningPort<Server: Service>: Service {
    private let role: PortRole
    private let address: ListenAddress
    private let server: Server
    private let shutdown: ShutdownController

    package init(_ role: PortRole, at address: ListenAddress, shutdown: ShutdownController, _ server: Server) {
        self.role = role
        self.address = address
        self.shutdown = shutdown
        self.server = server
    }

    package func run() async throws {
        // An error of a connection ends only that connection, so errors here come from opening the port.
        do {
            try await shutdown.run { [server] in try await server.run() }
        } catch is CancellationError where shutdown.isForced {
            return
        } catch let error as IOError {
            throw BindError(role, at: address, errno: error.errnoCode)
        } catch is SocketAddressError.UnknownHost {
            throw BindError(role, at: address, .unknownHost)
        } catch is SocketAddressError {
            throw BindError(role, at: address, .unknownHost)
        }
    }
}

/// Why a port cannot be opened and how to correct it, in one line.
package struct BindError: Error, Hashable, CustomStringConvertible {
    package let role: PortRole
    package let address: ListenAddress
    package let reason: Reason

    package enum Reason: Sendable, Hashable {
        case inUse
        case notOurs
        case notPermitted
        case unknownHost
        case other(String)
    }

    package init(_ role: PortRole, at address: ListenAddress, _ reason: Reason) {
        self.role = role
        self.address = address
        self.reason = reason
    }

    package init(_ role: PortRole, at address: ListenAddress, errno code: CInt) {
        let reason: Reason =
            switch code {
            case EADDRINUSE: .inUse
            case EADDRNOTAVAIL: .notOurs
            case EACCES, EPERM: .notPermitted
            default: .other(String(cString: strerror(code)))
            }
        self.init(role, at: address, reason)
    }

    package var description: String {
        let choose = "with --\(role.rawValue) HOST:PORT"
        return switch reason {
        case .inUse: "\(role.rawValue): \(address) is in use; choose another \(choose)"
        case .notOurs: "\(role.rawValue): \(address) is not an address of this machine; choose another \(choose)"
        case .notPermitted:
            "\(role.rawValue): this user may not listen on \(address); choose a port above 1023 \(choose)"
        case .unknownHost:
            "\(role.rawValue): the host '\(address.host)' does not resolve to an address; choose another \(choose)"
        case .other(let detail): "\(role.rawValue): \(address) cannot be opened (\(detail)); choose another \(choose)"
        }
    }
}
