import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// What `POST /resolve` is measured against: the same framework reads the same request and answers JSON, and that is all.
/// Listens on a free port of 127.0.0.1, which it prints, until SIGTERM.
@main
struct DoNothing {
    static func main() async throws {
        let router = Router()
        router.post("/resolve") { request, _ in
            _ = try await request.body.collect(upTo: 16_384)
            return Response(
                status: .ok,
                headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"outcome":"nothing"}"#))
            )
        }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                print("nothing http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
                fflush(nil)
            }
        )
        try await application.runService()
    }
}
