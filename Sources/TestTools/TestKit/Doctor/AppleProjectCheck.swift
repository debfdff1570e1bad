import AppAssociation
import LinkRouting

/// Checks an Xcode project: the registered schemes, App Transport Security and the associated domains.
struct AppleProjectCheck {
    let folder: ProjectFolder
    let identity: Identity
    let app: RegisteredApp

    var diagnoses: [Diagnosis] {
        infoPlistDiagnoses + entitlementDiagnoses + approvalDiagnoses
    }

    private var bundle: String {
        guard case .ios(_, let bundle) = app.product else { return "" }
        return bundle
    }

    // MARK: Info.plist

    /// The property lists of apps; those of tests and extensions are left out.
    private func appPlists() -> (lists: [(path: String, list: PropertyList)], problems: [Diagnosis]) {
        var (lists, problems) = ([(path: String, list: PropertyList)](), [Diagnosis]())
        for path in folder.infoPlists {
            guard let bytes = folder.bytes(path) else {
                problems.append(Diagnosis(.warning, in: path, "The file cannot be read, or has more than 4 MiB."))
                continue
            }
            do throws(PropertyList.Problem) {
                let list = try PropertyList(bytes)
                let isTest = list["CFBundlePackageType"]?.text == "BNDL" || path.contains("Tests")
                if list["NSExtension"] == nil, !isTest { lists.append((path, list)) }
            } catch {
                problems.append(Diagnosis(.error, in: path, line: error.line, error.message))
            }
        }
        return (lists, problems)
    }

    private var infoPlistDiagnoses: [Diagnosis] {
        let (lists, problems) = appPlists()
        guard let first = lists.first?.path else {
            let missing = Diagnosis(
                .error,
                "There is no Info.plist of an app. Build settings cannot register schemes: add the file to the target.",
                fix: Self.infoPlist(Self.transportSecurity + schemeLines(identity.schemes.map(\.name)))
            )
            return problems + (problems.isEmpty ? [missing] : [])
        }
        return problems + transportDiagnoses(lists.map(\.list), first) + schemeDiagnoses(lists.map(\.list), first)
    }

    private func transportDiagnoses(_ lists: [PropertyList], _ path: String) -> [Diagnosis] {
        let settings = lists.compactMap { $0["NSAppTransportSecurity"] }
        if settings.contains(where: { $0["NSAllowsLocalNetworking"]?.isTrue == true }) { return [] }
        if settings.contains(where: { $0["NSAllowsArbitraryLoads"]?.isTrue == true }) {
            return [
                Diagnosis(
                    .warning,
                    in: path,
                    "NSAllowsArbitraryLoads permits HTTP to every host, in releases too; NSAllowsLocalNetworking is enough.",
                    fix: Self.transportSecurity
                )
            ]
        }
        return [
            Diagnosis(
                .error,
                in: path,
                "App Transport Security blocks HTTP to the stub server. Permit local networking:",
                fix: Self.transportSecurity
            )
        ]
    }

    private static let transportSecurity = [
        "<key>NSAppTransportSecurity</key>", "<dict>", "    <key>NSAllowsLocalNetworking</key>", "    <true/>",
        "</dict>",
    ]

    private func schemeDiagnoses(_ lists: [PropertyList], _ path: String) -> [Diagnosis] {
        let entries = lists.flatMap { $0["CFBundleURLTypes"]?.elements ?? [] }
            .flatMap { $0["CFBundleURLSchemes"]?.elements ?? [] }
        let registered = Set(entries.compactMap { $0.text?.lowercased() })
        let missing = identity.schemes.map(\.name).filter { !registered.contains($0) }
        guard !missing.isEmpty else { return [] }
        if let variable = entries.first(where: \.isVariable)?.text {
            return [
                Diagnosis(
                    .warning,
                    in: path,
                    "CFBundleURLTypes has \(variable), which a build setting decides. It must be \(missing.joined(separator: ", "))."
                )
            ]
        }
        return [
            Diagnosis(
                .error,
                in: path,
                "CFBundleURLTypes does not register \(missing.joined(separator: ", ")), so no such link opens the app.",
                fix: schemeLines(missing)
            )
        ]
    }

    private func schemeLines(_ schemes: [String]) -> [String] {
        guard !schemes.isEmpty else { return [] }
        return [
            "<key>CFBundleURLTypes</key>", "<array>", "    <dict>", "        <key>CFBundleURLName</key>",
            "        <string>\(bundle.escapedForXML)</string>", "        <key>CFBundleURLSchemes</key>",
            "        <array>",
        ] + schemes.map { "            <string>\($0.escapedForXML)</string>" } + [
            "        </array>", "    </dict>", "</array>",
        ]
    }

    private static func infoPlist(_ lines: [String]) -> [String] {
        [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<plist version=\"1.0\">", "<dict>",
        ] + lines.map { "    " + $0 } + ["</dict>", "</plist>"]
    }

    // MARK: Entitlements

    private static let domainsKey = "com.apple.developer.associated-domains"

    private var entitlementDiagnoses: [Diagnosis] {
        let domains = identity.domains.filter { $0.port == nil && app.isNamed(on: $0.host, of: identity) }
        guard !domains.isEmpty else { return [] }
        let service = app.kind == .clip ? "appclips" : "applinks"
        let expected = domains.map { "\(service):" + ($0.coversSubdomains ? "*." : "") + $0.host }
        var (results, lists) = ([Diagnosis](), 0)
        for path in folder.entitlements {
            guard let bytes = folder.bytes(path) else { continue }
            do throws(PropertyList.Problem) {
                guard let values = try PropertyList(bytes)[Self.domainsKey] else { continue }
                lists += 1
                results += diagnoses(of: values.elements, in: path, expected)
            } catch {
                results.append(Diagnosis(.error, in: path, line: error.line, error.message))
            }
        }
        guard lists == 0 else { return results }
        let missing = Diagnosis(
            .error,
            in: folder.entitlements.first,
            "No entitlements have \(Self.domainsKey), so web links stay in Safari. Add it to the target's entitlements:",
            fix: Self.lines(expected)
        )
        return results + [missing]
    }

    private func diagnoses(of values: [PropertyList], in path: String, _ expected: [String]) -> [Diagnosis] {
        let texts = values.compactMap(\.text)
        let invalid = values.filter { !$0.isVariable }.compactMap(\.text).flatMap(Entitlement.validate).map { finding in
            let severity: Finding.Severity = finding.severity == .error ? .error : .warning
            return Diagnosis(severity, in: path, "\(finding.message) \(finding.fix)")
        }
        // A mode applies to development builds only, which tests are.
        let plain = Set(texts.map { String($0.prefix { $0 != "?" }).lowercased() })
        let missing = expected.filter { !plain.contains($0) }
        var results = invalid
        if let variable = values.first(where: \.isVariable)?.text, !missing.isEmpty {
            results.append(
                Diagnosis(
                    .warning,
                    in: path,
                    "\(variable) is decided by a build setting. These values are needed: \(missing.joined(separator: ", "))."
                )
            )
        } else if !missing.isEmpty {
            results.append(
                Diagnosis(
                    .error,
                    in: path,
                    "\(Self.domainsKey) lacks domains of the table, whose links therefore stay in Safari:",
                    fix: missing.map { "<string>\($0.escapedForXML)</string>" }
                )
            )
        }
        let service = expected.first?.prefix { $0 != ":" } ?? ""
        for value in plain.subtracting(expected).sorted() where value.hasPrefix("\(service):") && !value.contains("$") {
            results.append(
                Diagnosis(.warning, in: path, "'\(value)' is not a domain of the table; remove it, or add the domain.")
            )
        }
        return results
    }

    private static func lines(_ values: [String]) -> [String] {
        ["<key>\(domainsKey)</key>", "<array>"] + values.map { "    <string>\($0.escapedForXML)</string>" } + [
            "</array>"
        ]
    }

    // MARK: Scheme approval

    /// `simctl openurl` and Maestro stop at a prompt unless the scheme is approved. XCUITest accepts the prompt itself.
    private var approvalDiagnoses: [Diagnosis] {
        guard !identity.schemes.isEmpty, !folder.anyScript(contains: "launchservices.schemeapproval") else { return [] }
        return [
            Diagnosis(
                .warning,
                "No script approves the schemes on simulators, so 'simctl openurl' and Maestro stop at the prompt \"Open in …?\":",
                fix: identity.schemes.map { SimulatorCommands.approval(of: $0.name, bundle: bundle) }
            )
        ]
    }
}
