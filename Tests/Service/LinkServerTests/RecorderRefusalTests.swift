import HTTPTypes
import LinkEvents
import LinkRouting
import LinkServer
import Testing

@Suite(.timeLimit(.minutes(15)))
struct RecorderRefusalTests {
    static let strict = """
        formatVersion: 1
        tenant: strict
        settings:
          domains: [go.strict.example, {host: www.strict.example, serves: association}]
          schemes: [strict]
          whenLogFails: refuse
        table: {routes: [{id: home, path: /, open: {screen: Home}, web: "https://www.strict.example/"}]}
        """

    @Test func strictTenantGetsNoAnswerAndRetryAfter() async throws {
        try await withService(failing: { _ in .full }) { service in
            try await service.load(Self.strict)
            let answer = try await service.resolve(#"{"url":"strict:"}"#)
            #expect(answer.status == 503)
            #expect(answer["Retry-After"] == "1")
            #expect(answer.json?["code"]?.text == "log_unavailable")
        }
    }

    @Test func strictTenantsClickIsNotAnswered() async throws {
        try await withService(failing: { _ in .full }) { service in
            try await service.load(Self.strict)
            let answer = try await service.publicPort(.get, "/", host: "go.strict.example")
            #expect(answer.status == 503)
            #expect(answer["Location"] == nil)
        }
    }

    /// A full disk takes no link down: links and clicks are answered, also those of no tenant.
    @Test func linksAreAnsweredUnrecordedByDefault() async throws {
        try await withService(failing: { _ in .full }) { service in
            let answer = try await service.resolve(#"{"url":"yourapp://home"}"#)
            #expect(answer.status == 200)
            #expect(answer.json?["recorded"]?.bool == false)
            #expect(answer.json?["outcome"]?.text == "matched")
            let click = try await service.publicPort(.get, "/product/1", host: "go.yourappdomain.com")
            #expect(click.status == 302)
            let unowned = try await service.resolve(#"{"url":"https://nobody.example/"}"#)
            #expect(unowned.status == 200 && unowned.json?["recorded"]?.bool == false)
        }
    }

    /// Without recording, the log is not used at all, even if it would refuse events.
    @Test func serviceThatDoesNotRecordAnswers() async throws {
        try await withService(failing: { _ in .full }) { service in
            let recording = service.dependencies.linkResolver
            var dependencies = service.dependencies
            dependencies.linkResolver = LinkResolver(
                catalog: recording.catalog,
                recorder: recording.recorder,
                sealer: recording.sealer,
                installTokens: recording.installTokens,
                eventIDs: recording.eventIDs,
                addressKeys: recording.addressKeys,
                locate: recording.locate,
                now: recording.now,
                uptime: recording.uptime,
                node: recording.node,
                isRecording: false,
                tenants: recording.tenants,
                shortLinks: recording.shortLinks,
                admission: dependencies.admission
            )
            let silent = TestService(
                dependencies: dependencies,
                clock: service.clock,
                directory: service.directory,
                log: service.log
            )
            let answer = try await silent.resolve(#"{"url":"yourapp://home"}"#)
            #expect(answer.status == 200)
            #expect(answer.json?["recorded"]?.bool == false)
            let click = try await silent.publicPort(.get, "/product/1", host: "go.yourappdomain.com")
            #expect(click.status == 302)
            #expect(try await service.dependencies.log.events.lastSequence() == 0)
        }
    }

    @Test func batchIsAnsweredUnrecordedOnlyWhenEveryTenantAllowsIt() async throws {
        try await withService(failing: { _ in .full }) { service in
            try await service.load(Self.strict)
            let answer = try await service.resolve(#"{"links":["strict:","yourapp://home"]}"#)
            #expect(answer.status == 503)
        }
    }

    @Test func eventThatCannotBeStoredFailsOnlyItsOwnRequest() async throws {
        try await withService(failing: { events in
            events.contains { $0.clientEventID == "poison" } ? .refused("poison") : nil
        }) { service in
            let answers = try await withThrowingTaskGroup(of: (isPoison: Bool, answer: TestResponse).self) { group in
                for number in 0..<40 {
                    let isPoison = number == 17
                    let id = isPoison ? "poison" : "event-\(number)"
                    group.addTask {
                        (isPoison, try await service.resolve(#"{"url":"yourapp://home","clientEventId":"\#(id)"}"#))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (isPoison, answer) in answers {
                #expect(answer.status == (isPoison ? 500 : 200))
                #expect(answer.json?["code"]?.text == (isPoison ? "not_recorded" : nil))
            }
            #expect(try await service.events(of: "shop").count == 39)
        }
    }

    @Test func unownedLinksBeyondAHundredASecondAreNotRecorded() async throws {
        try await withService { service in
            for number in 0..<120 {
                let answer = try await service.resolve(#"{"url":"https://host\#(number).example/"}"#)
                #expect(answer.status == 200)
                #expect(answer.json?["recorded"]?.bool == (number < 100))
                #expect(answer.json?["outcome"]?.text == "unmatched")
            }
            let mixed = try await service.resolve(#"{"links":["https://nobody.example/","yourapp://home"]}"#)
            #expect(mixed.json?["results"]?.elements?.map { $0["recorded"]?.bool } == [false, true])
            service.clock.advance(seconds: 1)
            let later = try await service.resolve(#"{"url":"https://nobody.example/"}"#)
            #expect(later.json?["recorded"]?.bool == true)
            #expect(try await service.unownedEvents().count == 101)
            #expect(try await service.events(of: "shop").count == 1)
        }
    }
}
