import LinkCatalog
import LinkRouting
import Testing

/// The schemas describe exactly what the decoders read: keys, choices, defaults and limits.
struct DocumentSchemaTests {
    /// The decoders' keys by definition.
    private static let keys: [(definition: String, keys: [String])] = [
        ("TenantFile", TenantDocument.keys), ("Settings", Settings.keys), ("Privacy", Settings.Privacy.keys),
        ("Export", Settings.Export.keys), ("DomainEntry", Domain.keys), ("SchemeEntry", Scheme.keys),
        ("App", RegisteredApp.keys), ("StorePage", RegisteredApp.storeKeys), ("Destinations", DestinationPolicy.keys),
        ("AssociationFiles", AssociationPolicy.keys), ("LinkReading", LinkReading.keys),
        ("ShortLinks", Settings.ShortLinks.keys), ("Brand", Settings.Brand.keys), ("Abuse", Settings.Contact.keys),
        ("Table", RouteTable.keys),
        ("Screen", ScreenDeclaration.keys), ("NotedArgument", ScreenDeclaration.Argument.keys),
        ("Defaults", RouteTable.Defaults.keys), ("Fallback", RouteTable.Defaults.fallbackKeys), ("Route", Route.keys),
        ("Open", Open.keys), ("StackEntry", Open.stackKeys), ("WebPages", WebTarget.keys),
        ("StoreOffer", StoreTarget.keys), ("MinimumBuild", MinimumVersion.buildKeys),
        ("Preview", PreviewTemplates.keys),
        ("QueryItemTest", QueryCondition.keys), ("FragmentText", FragmentCondition.keys),
        ("Condition", Condition.keys), ("VersionRange", Condition.rangeKeys), ("BuildRange", Condition.rangeKeys),
        ("TimeRange", Condition.rangeKeys), ("SaltedRollout", Condition.rolloutKeys), ("Experiment", Experiment.keys),
        ("Variant", Experiment.variantKeys), ("Suite", LinkSuite.keys), ("SuiteCase", LinkSuite.Case.keys),
        ("Expectation", LinkSuite.Expectation.Key.allCases.map(\.rawValue)),
        ("CaseContext", LinkContext.Key.allCases.map(\.rawValue) + ["occurredAt"]),
    ]
    /// Objects of results, which suites compare with.
    private static let resultParts: Set = ["ExpectedTrace", "ExpectedVariant"]

    @Test func keysAreThoseOfTheDecoders() {
        for (name, keys) in Self.keys {
            let schema = DocumentSchema.definition(name)?.schema
            #expect(Set((schema?["properties"]?.members ?? []).map(\.key)) == Set(keys), "\(name)")
            #expect(schema?["additionalProperties"] == .bool(false), "\(name)")
        }
    }

    @Test func everyObjectIsComparedWithADecoder() {
        let objects = DocumentSchema.definitions.filter { $0.schema["properties"] != nil }.map(\.name)
        #expect(Set(objects) == Set(Self.keys.map(\.definition)).union(Self.resultParts))
    }

    @Test func everythingIsDescribed() {
        #expect(
            Set(DocumentSchema.definitions.map { $0.schema["title"]?.text }).count == DocumentSchema.definitions.count
        )
        for definition in DocumentSchema.definitions {
            #expect(definition.schema["title"]?.text?.isEmpty == false, "\(definition.name)")
            #expect(definition.schema["description"]?.text?.hasSuffix(".") == true, "\(definition.name)")
            for property in definition.schema["properties"]?.members ?? [] {
                #expect(
                    property.value["description"]?.text?.hasSuffix(".") == true,
                    "\(definition.name).\(property.key)"
                )
            }
        }
    }

    @Test func choicesAreThoseOfTheDecoders() {
        func choices(_ definition: String, _ key: String? = nil) -> [String] {
            let schema = DocumentSchema.definition(definition)?.schema
            return ((key.map { schema?["properties"]?[$0] } ?? schema)?["enum"]?.elements ?? []).map {
                $0.text ?? "null"
            }
        }
        #expect(choices("Platform") == Platform.allCases.map(\.rawValue))
        #expect(choices("Device") == Device.allCases.map(\.rawValue))
        #expect(choices("Settings", "explain") == Settings.Explain.allCases.map(\.rawValue))
        #expect(choices("Settings", "whenLogFails") == Settings.WhenLogFails.allCases.map(\.rawValue))
        #expect(choices("Settings", "clientKey") == Settings.ClientKey.allCases.map(\.rawValue))
        #expect(choices("Settings", "environmentKey") == Settings.ClientKey.allCases.map(\.rawValue))
        #expect(choices("Privacy", "ip") == Settings.Privacy.Address.allCases.map(\.rawValue))
        #expect(choices("Privacy", "unmatchedPath") == Settings.Privacy.UnmatchedPath.allCases.map(\.rawValue))
        #expect(choices("Export", "format") == Settings.Export.Format.allCases.map(\.rawValue))
        #expect(choices("DomainEntry", "serves") == Domain.Serves.allCases.map(\.rawValue))
        #expect(choices("App", "kind") == RegisteredApp.Kind.allCases.map(\.rawValue))
        #expect(choices("StorePage", "kind") == RegisteredApp.Store.Kind.allCases.map(\.rawValue))
        #expect(choices("AssociationFiles", "detail") == AssociationPolicy.Detail.allCases.map(\.rawValue))
        #expect(choices("SuiteCase", "via") == LinkSuite.Via.allCases.map(\.rawValue))
        #expect(choices("Expectation", "outcome") == Outcome.allCases.map(\.rawValue))
        #expect(choices("Expectation", "action") == Action.allCases.map(\.rawValue) + ["null"])
    }

    /// An explicit default has the same effect as an omitted key.
    @Test func defaultsAreThoseOfTheDecoders() throws {
        /// A document with a member in the object of each definition.
        let places: [(definition: String, document: (_ member: String) -> String)] = [
            ("Settings", { "settings: {\($0)}" }), ("Privacy", { "settings: {privacy: {\($0)}}" }),
            ("Destinations", { "settings: {destinations: {\($0)}}" }),
            ("AssociationFiles", { "settings: {association: {\($0)}}" }),
            ("LinkReading", { "settings: {links: {\($0)}}" }),
            ("DomainEntry", { "settings: {domains: [{host: a.example.com, \($0)}]}" }),
            ("SchemeEntry", { "settings: {schemes: [{name: acme, \($0)}]}" }),
            ("App", { "settings: {apps: [{id: a, platform: android, package: com.acme, \($0)}]}" }),
            (
                "Export",
                {
                    $0.hasPrefix("zone")
                        ? "settings: {export: {schedule: daily, at: '02:00', \($0)}}" : "settings: {export: {\($0)}}"
                }
            ),
            ("Defaults", { "table: {defaults: {\($0)}, routes: [{id: a, path: /a}]}" }),
            ("Fallback", { "table: {defaults: {fallback: {\($0)}}}" }),
            ("Route", { "table: {routes: [{id: a, path: /a, \($0)}]}" }),
            ("Variant", { "table: {routes: [{id: a, path: /a, experiment: {id: e, variants: [{name: v, \($0)}]}}]}" }),
        ]
        var count = 0
        for (name, document) in places {
            let properties = DocumentSchema.definition(name)?.schema["properties"]?.members ?? []
            for property in properties {
                guard let standard = property.value["default"] else { continue }
                func decoded(_ member: String) throws -> (settings: Settings?, table: RouteTable?) {
                    let checked = try TenantDocument("formatVersion: 1\n\(document(member))\n").checked()
                    #expect(checked.findings.allSatisfy { $0.code != .invalid }, "\(name).\(property.key)")
                    return (checked.settings, checked.table)
                }
                let (explicit, omitted) = (
                    try decoded("\(property.key): \(standard.json())"), try decoded("\(property.key): null")
                )
                #expect(explicit.settings == omitted.settings, "\(name).\(property.key)")
                #expect(explicit.table == omitted.table, "\(name).\(property.key)")
                count += 1
            }
        }
        // Every default of the schemas but `installed` of a context.
        let all = DocumentSchema.definitions.flatMap { $0.schema["properties"]?.members ?? [] }
        #expect(count == all.filter { $0.value["default"] != nil }.count - 1)
        #expect(LinkContext().installed)
    }

    @Test(arguments: Examples.names)
    func examplesAreValid(_ name: String) throws {
        for (schema, file) in [(DocumentSchema.tenant, "\(name).yaml"), (.suite, "\(name).suite.yaml")] {
            let document = try Document.read(try Examples.text(file))
            #expect(try SchemaValidator(schema).faults(of: document, in: schema.node) == [], "\(file)")
        }
    }

    /// Members of settings, of a route and of a suite's case at their limits.
    private static let limits: [(document: String, isValid: Bool)] =
        settings([
            ("retentionDays: 1", true), ("retentionDays: 0", false), ("retentionDays: 36500", true),
            ("retentionDays: 36501", false), ("retentionDays: '400'", false), ("retentionDay: 400", false),
            ("environments: [staging]", true), ("environments: [Staging]", false), ("explain: all", false),
            ("environments: [\((0..<16).map { "e\($0)" }.joined(separator: ", "))]", true),
            ("environments: [\((0..<17).map { "e\($0)" }.joined(separator: ", "))]", false),
            ("domains: [go.example.com, '*.example.com', {host: a.example.com, port: 65535}]", true),
            ("domains: [{host: a.example.com, port: 65536}]", false), ("domains: [{port: 1}]", false),
            ("domains: ['https://a.example.com']", false), ("schemes: [a]", false), ("schemes: [acme, a1+b]", true),
            ("schemes: [{name: acme, host: ignore}]", true), ("schemes: [{name: acme, host: [open]}]", true),
            ("schemes: [{name: acme, host: open}]", false), ("schemes: acme", false),
            ("apps: [{id: a, platform: ios, teamID: ABCDE12345, bundleID: com.acme}]", true),
            ("apps: [{id: a, platform: ios, teamID: 1234567890, bundleID: com.acme}]", true),
            ("apps: [{id: a, platform: ios, teamID: abcde12345, bundleID: com.acme}]", false),
            ("apps: [{id: a, platform: ios, bundleID: com.acme}]", false),
            ("apps: [{id: a, platform: ios, teamID: ABCDE12345, bundleID: com.acme, package: com.acme}]", false),
            ("apps: [{id: a, platform: android, package: com.acme, environments: []}]", false),
            ("apps: [{id: a, platform: android, package: com.acme, stores: [{kind: playStore}]}]", true),
            ("apps: [{id: a, platform: android, package: com.acme, fingerprints: ['14:6D']}]", false),
            ("apps: [{id: a, platform: windows}]", false),
            ("destinations: {hosts: ['*.example.com'], http: true}", true),
            ("privacy: {ip: full}", false), ("privacy: {recordQuery: utm_source}", false),
            ("export: {level: 9}", true), ("export: {level: 10}", false), ("export: {at: '02:00'}", false),
            ("export: {schedule: daily}", false), ("export: {schedule: daily, at: '24:00'}", false),
            ("export: {schedule: off}", true), ("export: {schedule: daily, at: '23:59', zone: UTC}", true),
            ("brand: {name: Acme, logo: iVBORw0KGgo=, accent: '#0a66C2', dark: '#ffffff'}", true),
            ("brand: {name: ''}", false), ("brand: {accent: red}", false), ("brand: {accent: '#fff'}", false),
            ("brand: {texts: {pt-BR: {open: Abrir, lead: x}}}", true), ("brand: {texts: {de: {opne: x}}}", false),
            ("brand: {texts: {de_DE: {open: x}}}", false), ("brand: {color: '#0a66c2'}", false),
            ("brand: {texts: {de: {open: '\(String(repeating: "é", count: 300))'}}}", true),
            ("brand: {texts: {de: {open: '\(String(repeating: "é", count: 301))'}}}", false),
            ("abuse: {contact: abuse@acme.example}", true), ("abuse: {contact: 'https://acme.example/abuse'}", true),
            ("abuse: {contact: 'http://acme.example/abuse'}", false), ("abuse: {}", false),
            ("abuse: {contact: 'a@b@c'}", false),
            ("association: {detail: coarse, legacyPaths: true}", true), ("association: {detail: all}", false),
        ])
        + route([
            ("tags: a", true), ("tags: [a, 2]", true), ("tags: []", false), ("host: ''", false),
            ("query: {a: present, b: false, c: 'int(1..9)?', d: 'int = 1', e: '(x,y)', f: {oneOf: [1, b]}}", true),
            ("query: {a: int64}", false), ("query: {a: {}}", false), ("query: {'': present}", false),
            ("query: {a: {capture: int, as: b}}", true), ("query: {a: {like: b}}", false),
            ("query: {\((0..<65).map { "q\($0): present" }.joined(separator: ", "))}", false),
            ("fragment: /a", true), ("fragment: {equals: /a}", true), ("fragment: {}", false),
            ("when: {platform: ios}", true), ("when: [{platform: [ios]}, {not: {rollout: 10.5}}]", true),
            ("when: {}", false), ("when: []", false), ("when: {platform: iOS}", false), ("when: {device: []}", false),
            ("when: {osVersion: {from: 17.0, until: '18'}}", true), ("when: {osVersion: {}}", false),
            ("when: {osVersion: '17'}", false), ("when: {appVersion: {from: new}}", false),
            ("when: {appBuild: {from: -1}}", false), ("when: {appBuild: {from: 400}}", true),
            ("when: {locale: en-GB}", true), ("when: {locale: en_GB}", false), ("when: {country: GBR}", false),
            ("when: {traits: {a: true, b: [1, x]}}", true), ("when: {traits: {}}", false),
            ("when: {rollout: 100.5}", false), ("when: {rollout: {percent: 10, salt: s}}", true),
            ("when: {rollout: {salt: s}}", false), ("when: {time: {from: '2026-11-21T10:00:00Z'}}", true),
            ("when: {anyOf: [{authenticated: true}, {inAppBrowser: false}], apps: [ios]}", true),
            ("caseSensitive: no", false), ("trailingSlash: strict", true), ("trailingSlash: keep", false),
            ("open: Home", false), ("open: {}", false), ("open: {screen: ''}", false),
            ("open: {screen: A, arguments: {a: '{b}', c: [1]}, stack: [B, {screen: C}]}", true),
            ("web: {}", false), ("web: {ios: 'https://a.example.com'}", true), ("web: {mac: 'https://a.b'}", false),
            ("store: {campaign: a}", true), ("store: yes", false), ("minimumVersion: 2.0", true),
            ("minimumVersion: {build: 412}", true), ("minimumVersion: {ios: '2.0', android: {build: 4}}", true),
            ("minimumVersion: {iOS: '2.0'}", false), ("minimumVersion: new", false), ("signIn: true", false),
            ("forward: all", true), ("forward: [a]", true), ("forward: a", false), ("forward: []", false),
            ("preview: {title: '{x}', image: 'https://a.b.test/{x}.png'}", true), ("preview: {description: d}", true),
            ("preview: {}", false), ("preview: {title: ''}", false), ("preview: {name: a}", false),
            ("preview: a", false),
            ("preview: {title: \(String(repeating: "a", count: 200))}", true),
            ("preview: {title: \(String(repeating: "a", count: 201))}", false),
            ("block: a, preview: {title: a}", false),
            ("data: {a: [1, null]}", true), ("audience: server", true), ("audience: app", false),
            ("block: reason", true), ("block: ''", false), ("block: a, open: {screen: A}", false),
            ("experiment: {id: e, variants: []}", false), ("experiment: {id: e, variants: [{weight: 1}]}", false),
            ("experiment: {id: e, variants: [{name: a, weight: 1000000}]}", true),
            ("experiment: {id: e, variants: [{name: a, weight: 0}]}", false), ("screen: A", false),
        ])
        + screens([
            ("A: {}", true), ("A: {note: n}", true), ("A: null", false), ("A: {argument: {}}", false),
            ("'': {}", false),
            ("\(String(repeating: "A", count: 128)): {}", true), ("\(String(repeating: "A", count: 129)): {}", false),
            ("A: {arguments: {a: int, b: 'int?', c: '(x,y)', d: 'list(string)?', e: json, f: 'list((x,y))'}}", true),
            ("A: {arguments: {a: {type: date, note: n}}}", true), ("A: {arguments: {a: {note: n}}}", false),
            ("A: {arguments: {a: {type: date, optional: true}}}", false), ("A: {arguments: {a: Int}}", false),
            ("A: {arguments: {a: '(x,)'}}", false), ("A: {arguments: {a: 'list(list(int))'}}", false),
            ("A: {arguments: {a: [string]}}", false), ("A: {arguments: {'': int}}", false),
        ])

    private static func screens(_ members: [(String, Bool)]) -> [(document: String, isValid: Bool)] {
        members.map { ("formatVersion: 1\ntable: {screens: {\($0)}, routes: []}\n", $1) }
    }

    private static func settings(_ members: [(String, Bool)]) -> [(document: String, isValid: Bool)] {
        members.map { ("formatVersion: 1\nsettings: {\($0)}\n", $1) }
    }

    private static func route(_ members: [(String, Bool)]) -> [(document: String, isValid: Bool)] {
        members.map { ("formatVersion: 1\ntable: {routes: [{id: a, path: /a, \($0)}]}\n", $1) }
    }

    @Test(arguments: limits)
    func schemaOfTenantFilesAgreesWithTheDecoder(_ text: String, isValid: Bool) throws {
        let schema = DocumentSchema.tenant
        let faults = try SchemaValidator(schema).faults(of: try Document.read(text), in: schema.node)
        let errors = try TenantDocument(text).checked().findings.filter { $0.code == .invalid }
        #expect(faults.isEmpty == isValid, "\(text) \(faults)")
        #expect(errors.isEmpty == isValid, "\(text) \(errors)")
    }

    @Test(
        arguments: [
            ("cases: [{link: 'a://b', expect: {outcome: matched}}]", true), ("cases: []", true), ("suite: a", false),
            ("cases: [{expect: {outcome: matched}}]", false), ("cases: [{link: 'a://b', expect: {}}]", false),
            ("cases: [{link: 'a://b', expect: {status: 200}}]", false),
            ("cases: [{link: 'a://b', via: mail, expect: {route: a}}]", false),
            ("cases: [{link: 'a://b', via: page, app: ios, note: n, expect: {route: null}}]", true),
            ("context: {platform: ios}\ncases: [{link: 'a://b', context: {platform: null}, expect: {route: a}}]", true),
            ("context: {os: ios}\ncases: []", false), ("context: {platform: iOS}\ncases: []", false),
            ("context: {appVersion: 3.2, now: '2026-11-21T10:00:00Z', traits: {a: [1]}}\ncases: []", true),
            ("environments: []\ncases: []", false), ("environments: [staging]\ncases: []", true),
        ]
    )
    func schemaOfSuitesAgreesWithTheDecoder(_ text: String, isValid: Bool) throws {
        let (schema, text) = (DocumentSchema.suite, "formatVersion: 1\n\(text)\n")
        let faults = try SchemaValidator(schema).faults(of: try Document.read(text), in: schema.node)
        #expect(faults.isEmpty == isValid, "\(text) \(faults)")
        #expect(((try? LinkSuite(text)) != nil) == isValid, "\(text)")
    }
}
