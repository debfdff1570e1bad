import LinkRouting
import Testing

@Suite(.timeLimit(.minutes(15)))
struct ContinuationTests {
    private func begin(_ service: TestService) async throws -> String {
        let answer = try await service.resolve(
            #"{"url":"yourapp://user/anna","context":{"app":"ios","platform":"ios"}}"#
        )
        #expect(answer.json?["action"]?.text == "sign_in")
        return try #require(answer.json?["continuation"]?["token"]?.text)
    }

    private func resume(_ token: String, app: String, _ service: TestService) async throws -> Answer {
        try await service.resolve(
            #"{"continuation":"\#(token)","context":{"app":"\#(app)","authenticated":true}}"#
        )
    }

    @Test func signedInPersonGoesOnWhereTheLinkLed() async throws {
        try await withService { service in
            let answer = try await resume(try await begin(service), app: "ios", service)
            #expect(answer.status == 200)
            #expect(answer.json?["action"]?.text == "open_app")
            #expect(answer.json?["parameters"]?["id"]?.text == "anna")
        }
    }

    @Test func anotherAppMayNotResume() async throws {
        try await withService { service in
            let answer = try await resume(try await begin(service), app: "android", service)
            #expect(answer.status == 400)
            #expect(answer.json?["code"]?.text == "continuation_invalid")
        }
    }

    @Test func everyChangedCharacterIsNoticed() async throws {
        try await withService { service in
            let token = Array(try await begin(service))
            for index in token.indices.dropLast() {
                var changed = token
                changed[index] = changed[index] == "x" ? "y" : "x"
                let answer = try await resume(String(changed), app: "ios", service)
                #expect(answer.json?["code"]?.text == "continuation_invalid", "character \(index)")
            }
        }
    }

    @Test func expiresAfterThirtyMinutes() async throws {
        try await withService { service in
            let token = try await begin(service)
            service.clock.advance(seconds: 30 * 60 - 1)
            #expect(try await resume(token, app: "ios", service).status == 200)
            service.clock.advance(seconds: 1)
            let answer = try await resume(token, app: "ios", service)
            #expect(answer.status == 410)
            #expect(answer.json?["code"]?.text == "continuation_expired")
        }
    }
}
