import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// A tenant's key cannot claim a host that overlaps another tenant's domain.
@Suite(.timeLimit(.minutes(15)))
struct HostClaimTests {
    /// A session with a key for this tenant only. Creates the tenant with empty settings if necessary.
    private func session(of tenant: String, _ service: TestService) async throws -> AdminSession {
        var admin = try await AdminSession(service)
        admin.tenant = tenant
        if try await admin.get("settings").status == 404 {
            #expect(try await admin.put("settings", yaml: "{}").status == 201)
        }
        var session = try await AdminSession(service) { $0.tenant = TenantID(tenant) }
        session.tenant = tenant
        return session
    }

    /// Writes the domains with a key for this tenant only.
    private func put(_ domains: String, of tenant: String, _ service: TestService) async throws -> TestResponse {
        try await session(of: tenant, service).put("settings", yaml: "domains: [\(domains)]")
    }

    @Test(arguments: [
        (#""*.victim.example""#, "pay.victim.example"), (#""*.victim.example""#, "a.b.victim.example"),
        (#""*.victim.example""#, #""*.pay.victim.example""#), (#""*.victim.example""#, "victim.example"),
        (#""*.victim.example""#, #"{host: pay.victim.example, port: 8443}"#),
        (#"{host: "*.victim.example", port: 8443}"#, "pay.victim.example"),
        ("pay.victim.example", #""*.victim.example""#), ("pay.victim.example", #""*.pay.victim.example""#),
        ("a.b.victim.example", #""*.victim.example""#),
        ("pay.victim.example", #"{host: pay.victim.example, port: 8443}"#),
        (#"{host: pay.victim.example, port: 8443}"#, #""*.victim.example""#),
        ("pay.victim.example", "PAY.Victim.Example."),
        (#""*.bücher.example""#, "pay.xn--bcher-kva.example"), (#""*.xn--bcher-kva.example""#, "pay.BÜCHER.example"),
        ("pay.xn--bcher-kva.example", #""*.bücher.example""#),
        // In NFC and in NFD; domains are not accepted in NFD.
        ("\"*.b\u{FC}cher.example\"", "pay.bu\u{308}cher.example"),
    ])
    func overlapWithAnotherTenantIsRefused(victim: String, claim: String) async throws {
        try await withService { service in
            #expect(try await put(victim, of: "victim", service).status == 200)
            let before = try await put(claim, of: "attacker", service)
            #expect([409, 422].contains(before.status), "\(before.text)")
            if before.status == 409 { #expect(before.code == "domain_taken", "\(before.text)") }
            #expect(!before.text.contains("'victim'") && !before.text.contains("*.victim.example' "), "\(before.text)")
            // The refused claim does not block the owner.
            #expect(try await put(victim, of: "victim", service).status == 200)
            let attacker = service.dependencies.linkResolver.catalog.current.table(of: TenantID("attacker") ?? .none)
            #expect(attacker?.settings.identity.domains.isEmpty == true)
        }
    }

    @Test(arguments: [
        "pay.other.example", #""*.other.example""#, "victim.example.org", "notvictim.example", "xvictim.example",
    ])
    func disjointRoutesAreAllowed(claim: String) async throws {
        try await withService { service in
            let victim = try await put(#""*.victim.example", pay.victim.example"#, of: "victim", service)
            let neighbour = try await put(claim, of: "neighbour", service)
            #expect(victim.status == 200 && neighbour.status == 200, "\(neighbour.text)")
        }
    }

    /// A company with one tenant per brand assigns hosts with a key for all tenants. Each tenant then writes its own
    /// settings.
    @Test func keyOfAllTenantsDividesHosts() async throws {
        try await withService { service in
            #expect(try await put(#""*.victim.example""#, of: "victim", service).status == 200)
            var all = try await AdminSession(service)
            all.tenant = "brand"
            #expect(try await all.put("settings", yaml: "domains: [pay.victim.example]").status == 201)
            #expect(try await put("pay.victim.example, brand.example", of: "brand", service).status == 200)
            #expect(try await put("brand.example, shop.victim.example", of: "brand", service).status == 409)
            #expect(try await put(#""*.victim.example", www.other.example"#, of: "victim", service).status == 200)
            let overlaps = service.dependencies.linkResolver.catalog.current.overlappingDomains.map {
                "\($0.tenant) \($0.domain)"
            }
            #expect(overlaps == ["brand pay.victim.example", "victim *.victim.example"])
        }
    }

    /// With a key of the tenant and with one for all tenants. The names below stay free for their owners.
    @Test(arguments: [
        ("domains: ['*.co.uk']", "domains: [links.victim.co.uk]"),
        ("domains: ['*.appspot.com']", "domains: ['*.victim.appspot.com']"),
        ("domains: ['*.ts.net']", "domains: [victim.ts.net]"),
        ("domains: [127.0.0.1]", ""), ("domains: [localhost]", ""), ("domains: [169.254.169.254]", ""),
        ("domains: ['farechoice\u{200D}.taxi']", ""), ("schemes: [market]", ""), ("schemes: [itms-apps]", ""),
    ])
    func namesOfNobodyAreRefused(claim: String, owners: String) async throws {
        try await withService { service in
            var all = try await AdminSession(service)
            all.tenant = "attacker"
            for session in [try await session(of: "attacker", service), all] {
                let answer = try await session.put("settings", yaml: claim)
                #expect(answer.status == 422 && answer.code == "invalid_settings", "\(answer.text)")
                #expect(answer.text.contains("write") || answer.text.contains("remove it"), "\(answer.text)")
            }
            let attacker = service.dependencies.linkResolver.catalog.current.table(of: TenantID("attacker") ?? .none)
            #expect(attacker?.settings.identity == Identity())
            guard !owners.isEmpty else { return }
            #expect(try await session(of: "victim", service).put("settings", yaml: owners).status == 200)
        }
    }

    @Test func oneOfTwoConcurrentClaimsIsRefused() async throws {
        try await withService { service in
            for round in 0..<8 {
                let host = "round\(round).example"
                let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                    for (tenant, claim) in [("one\(round)", "\"*.\(host)\""), ("two\(round)", "pay.\(host)")] {
                        group.addTask { try await put(claim, of: tenant, service).status }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.sorted() == [200, 409])
            }
        }
    }

    @Test func schemeOfAnotherTenantIsTakenInAnyLetterCase() async throws {
        try await withService { service in
            let victim = try await session(of: "victim", service)
            #expect(try await victim.put("settings", yaml: "schemes: [victimapp]").status == 200)
            let attacker = try await session(of: "attacker", service)
            for scheme in ["victimapp", "VictimApp", "VICTIMAPP"] {
                let answer = try await attacker.put("settings", yaml: "schemes: [\(scheme)]")
                #expect(answer.code == "scheme_taken" || answer.status == 400, "\(scheme): \(answer.text)")
            }
        }
    }
}
