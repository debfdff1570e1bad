import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkStorage
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

    private func resume(_ token: String, app: String, _ service: TestService) async throws -> TestResponse {
        try await service.resolve(
            #"{"continuation":"\#(token)","context":{"app":"\#(app)","authenticated":true}}"#
        )
    }

    @Test func signedInUserContinuesToTheDestination() async throws {
        try await withService { service in
            let answer = try await resume(try await begin(service), app: "ios", service)
            #expect(answer.status == 200)
            #expect(answer.json?["action"]?.text == "open_app")
            #expect(answer.json?["parameters"]?["id"]?.text == "anna")
        }
    }

    /// Their log rows show that the sign-in led somewhere.
    @Test func continuedLinkNamesTheEventOfTheFirst() async throws {
        try await withService { service in
            let token = try await begin(service)
            for _ in 0..<2 { _ = try await resume(token, app: "ios", service) }
            let events = try await service.events(of: "shop")
            #expect(events.map(\.parent) == [nil, events.first?.id, events.first?.id])
        }
    }

    @Test func anotherAppMayNotResume() async throws {
        try await withService { service in
            let answer = try await resume(try await begin(service), app: "android", service)
            #expect(answer.status == 400)
            #expect(answer.json?["code"]?.text == "continuation_invalid")
        }
    }

    /// The error does not say whether the token is valid.
    @Test func callerWithoutAppMayNotResume() async throws {
        try await withService { service in
            let token = try await begin(service)
            for context in ["{}", #"{"platform":"ios","authenticated":true}"#] {
                let answer = try await service.resolve(#"{"continuation":"\#(token)","context":\#(context)}"#)
                #expect(answer.status == 400 && answer.code == "continuation_invalid", "\(answer.text)")
                #expect(answer.json?["detail"]?.text?.contains("'context.app'") == true)
                let invented = try await service.resolve(#"{"continuation":"AQAAAA","context":\#(context)}"#)
                #expect(invented.json?["detail"] == answer.json?["detail"])
            }
            #expect(try await service.events(of: "shop").count == 1, "what was refused was not recorded")
        }
    }

    /// Shop answers everyone, so another tenant's key is as good as none, as for its links.
    @Test func keyOfAnotherTenantChangesNothing() async throws {
        try await withService { service in
            let key = try service.makeKey(tenant: "blogs", scopes: [.resolve])
            let token = try await begin(service)
            let answer = try await service.resolve(
                #"{"continuation":"\#(token)","context":{"app":"ios","authenticated":true}}"#,
                headers: [.authorization: "Bearer \(key)"]
            )
            #expect(answer.status == 200 && answer.json?["tenant"]?.text == "shop")
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

    // MARK: Environment

    private static let settings = """
        domains: [go.acme.test]
        schemes: [acme]
        environments: [staging]
        environmentKey: optional
        apps:
          - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme}
          - {id: ios-stg, platform: ios, environment: staging, teamID: ABCDE12345, bundleID: com.acme.stg}
        """

    /// A tenant whose staging environment opens another screen for the same link than production.
    private func beginInStaging(_ service: TestService) async throws -> String {
        let session = try await AdminSession(service)
        #expect(try await session.put("settings", yaml: Self.settings).status == 201)
        for (query, screen) in [("", "Live"), ("?environment=staging", "Staged")] {
            let table = """
                routes:
                  - {id: me, path: /me, signIn: required, open: {screen: \(screen)}}
                """
            #expect(try await session.put("draft\(query)", yaml: table).status == 200)
            #expect(try await session.post("draft/publish\(query)").status == 201)
        }
        let answer = try await service.resolve(
            #"{"url":"acme://me","environment":"staging","context":{"app":"ios-stg","platform":"ios"}}"#
        )
        return try #require(answer.json?["continuation"]?["token"]?.text)
    }

    @Test func continuationStaysInItsEnvironment() async throws {
        try await withService { service in
            let token = try await beginInStaging(service)
            for named in ["", #""environment":"staging","#] {
                let answer = try await service.resolve(
                    #"{"continuation":"\#(token)",\#(named)"context":{"app":"ios-stg","authenticated":true}}"#
                )
                #expect(answer.json?["environment"]?.text == "staging", "\(answer.text)")
                #expect(answer.text.contains("Staged"), "\(answer.text)")
            }
            let before = try await service.log.lastSequence()
            let other = try await service.resolve(
                #"{"continuation":"\#(token)","environment":"production","context":{"app":"ios-stg","authenticated":true}}"#
            )
            #expect(other.status == 400 && other.code == "continuation_invalid", "\(other.text)")
            #expect(try await service.log.lastSequence() == before, "what was refused was not recorded")
        }
    }

    /// The link's scheme or host may belong to another tenant by now.
    @Test func anotherTenantDoesNotResumeIt() async throws {
        try await withService { service in
            let token = try await beginInStaging(service)
            var session = try await AdminSession(service)
            #expect(try await session.put("settings", yaml: "domains: [go.acme.test]").status == 200)
            session.tenant = "heir"
            #expect(try await session.put("settings", yaml: "schemes: [acme]").status == 201)
            let answer = try await service.resolve(
                #"{"continuation":"\#(token)","context":{"app":"ios-stg","authenticated":true}}"#
            )
            #expect(answer.status == 400 && answer.code == "continuation_invalid", "\(answer.text)")
        }
    }

    @Test func clientEventIDIsKeptOrItsLossIsReported() async throws {
        try await withService { service in
            let token = try await begin(service)
            let resumed = try await service.resolve(
                #"{"continuation":"\#(token)","clientEventId":"c-1","context":{"app":"ios","authenticated":true}}"#
            )
            #expect(resumed.status == 200)
            let tenant = try #require(resumed.json?["tenant"]?.text)
            #expect(try await service.events(of: tenant).last?.clientEventID == "c-1")
            let batch = try await service.resolve(#"{"links":["yourapp://home"],"clientEventId":"c-2"}"#)
            #expect(batch.json?["warnings"]?.elements?.contains { $0.text?.contains("clientEventId") == true } == true)
        }
    }
}
