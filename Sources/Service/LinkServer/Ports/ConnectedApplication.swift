import HTTPTransport
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// An application that ends when its last connection has ended.
struct ConnectedApplication<Base: ApplicationProtocol>: ApplicationProtocol {
    let base: Base
    let registry: ConnectionRegistry

    var responder: Base.Responder { get async throws { try await base.responder } }
    var server: HTTPServerBuilder { base.server }
    var eventLoopGroup: any EventLoopGroup { base.eventLoopGroup }
    var configuration: ApplicationConfiguration { base.configuration }
    var logger: Logger { base.logger }
    var services: [any Service] { base.services }
    var processesRunBeforeServerStart: [@Sendable () async throws -> Void] { base.processesRunBeforeServerStart }

    func onServerRunning(_ channel: any Channel) async {
        await channel.addAcceptFailureHandler(registry: registry)
        await base.onServerRunning(channel)
    }

    func run() async throws {
        try await withTaskCancellationHandler {
            let end: Result<Void, any Error>
            do { end = .success(try await base.run()) } catch { end = .failure(error) }
            await registry.untilEmpty()
            try end.get()
        } onCancel: {
            registry.endInputs()
        }
    }
}
