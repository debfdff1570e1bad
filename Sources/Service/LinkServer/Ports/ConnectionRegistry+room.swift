import HTTPTransport
import HummingbirdCore

/// Hummingbird's handler of a listening socket asks this before it accepts connections.
extension ConnectionRegistry.Room: AvailableConnectionsDelegate {}
