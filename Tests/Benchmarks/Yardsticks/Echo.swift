import ArgumentParser
import Foundation
import Hummingbird
import Logging

/// A team's first Swift version: the framework reads the body, Foundation decodes it and encodes the answer.
struct Echo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A Hummingbird endpoint that decodes the JSON of POST /resolve and encodes it again.",
        discussion: """
            EXAMPLE
              Yardsticks echo
            """
    )

    private struct Message: ResponseCodable {
        var url: String
        var context: Caller

        struct Caller: Codable {
            var platform: String
        }
    }

    func run() async throws {
        let router = Router()
        router.post("/resolve") { request, context in
            try await request.decode(as: Message.self, context: context)
        }
        var logger = Logger(label: "echo")
        logger.logLevel = .error
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                print("echo http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
                fflush(nil)
            },
            logger: logger
        )
        try await application.runService()
    }
}
