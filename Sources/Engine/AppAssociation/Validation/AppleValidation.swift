public import LinkRouting

extension AppleAppSiteAssociation {
    /// Returns findings for everything in a file that devices probably handle differently than its author meant.
    ///
    /// Any bytes are valid input: a file that is not JSON is a finding as well. There are at most
    /// ``AssociationFinding/maximumPerCode`` findings of one code. They are in the order of the file. The work is
    /// bounded: a check whether rules cover another rule is abandoned if it takes too long, and then reports nothing.
    /// - Parameters:
    ///   - hosting: The HTTP response of the file, if it is known. If its status is not 200, only the response is
    ///     checked.
    ///   - budget: The budget for comparing rules with each other. Its cancellation ends all checks; the findings are
    ///     then incomplete.
    public static func validate(
        _ bytes: some Collection<UInt8>,
        hosting: AssociationHosting? = nil,
        within budget: WorkBudget = .associationValidation
    ) -> [AssociationFinding] {
        var validation = AppleValidation(budget: budget)
        if let hosting { validation.check(hosting) }
        if (hosting?.status ?? 200) == 200 { validation.run(Array(bytes)) }
        return validation.findings.sorted(by: AssociationFinding.precedes)
    }
}

extension AssociationFinding {
    /// The maximum number of findings of one code in one file.
    public static let maximumPerCode = 100
}

/// One validation of a file. Its checks are in extensions: hosting, structure, keys, rules, patterns, reach.
struct AppleValidation {
    /// The budget for comparing the rules of an entry with each other.
    let budget: WorkBudget
    /// Ends with the budget's cancellation only. The other checks take linear time, so their steps are not limited.
    private let cancellation: WorkBudget
    private(set) var findings: [AssociationFinding] = []
    private var counts: [AssociationFinding.Code: Int] = [:]
    var variables = PatternVariables(custom: AppleAppSiteAssociation.SubstitutionVariables(nil))
    /// By name of a variable, as far as the rules that were compared use it.
    var pieces: [String: Glob.Piece] = [:]
    var pathSizes = PathSizes()

    init(budget: WorkBudget) {
        self.budget = budget
        cancellation = budget.other(steps: .max)
    }

    /// Whether the validation is not cancelled. Each loop over parts of the file asks it.
    func continues() -> Bool { cancellation.spend() }

    private static let severities = Dictionary(
        uniqueKeysWithValues: AssociationFinding.appleCatalogue.map { ($0.code, $0.severity) }
    )

    /// Adds a finding with the code's default severity.
    mutating func add(_ code: AssociationFinding.Code, _ location: Location, _ message: String, fix: String) {
        add(code, Self.severities[code] ?? .error, location, message, fix: fix)
    }

    mutating func add(
        _ code: AssociationFinding.Code,
        _ severity: Finding.Severity,
        _ location: Location,
        _ message: String,
        fix: String
    ) {
        counts[code, default: 0] += 1
        guard counts[code, default: 0] <= AssociationFinding.maximumPerCode else { return }
        findings.append(
            AssociationFinding(
                code,
                severity,
                pointer: location.pointer,
                position: location.position,
                message: message,
                fix: fix
            )
        )
    }

    /// Whether another finding of this code would be kept. Messages that are expensive to build are built only then.
    func keeps(_ code: AssociationFinding.Code) -> Bool {
        counts[code, default: 0] < AssociationFinding.maximumPerCode
    }

    /// A location in the file.
    struct Location {
        let pointer: String
        let position: JSONNode.Position

        static let file = Location(pointer: "", position: AssociationFinding.wholeFile)

        init(pointer: String, position: JSONNode.Position) {
            self.pointer = pointer
            self.position = position
        }

        /// Creates the location of a value.
        init(_ node: JSONNode, _ pointer: String) { self.init(pointer: pointer, position: node.position) }

        /// Creates the location of a member's key in the object at `parent`.
        init(key member: JSONNode.Member, in parent: String) {
            self.init(
                pointer: "\(parent)/\(JSONNode.pointerToken(member.key))",
                position: member.keyPosition
            )
        }
    }

    mutating func run(_ bytes: [UInt8]) {
        if bytes.count > AppleAppSiteAssociation.maximumBytes {
            add(
                .tooLarge,
                .file,
                "The file has \(bytes.count) bytes; iOS reads at most \(AppleAppSiteAssociation.maximumBytes), counted "
                    + "uncompressed, and drops a larger file whole.",
                fix: "Merge rules with wildcards, or write one rule {\"/\": \"*\"}. Compressing it does not help."
            )
        }
        if SignedFile.isEnvelope(bytes), !checkEnvelope(bytes) { return }
        let file: AppleAppSiteAssociation
        do throws(JSONSyntaxError) {
            file = try AppleAppSiteAssociation(parsing: bytes)
        } catch {
            return add(error)
        }
        guard file.root.members != nil else {
            return add(
                .rootType,
                Location(file.root, ""),
                "The file is \(file.root.kind); devices expect one object and find nothing here.",
                fix: AssetLinks.isLikely(bytes)
                    ? "This is an assetlinks.json file: serve {\"applinks\": {\"details\": […]}} here."
                    : "Write {\"applinks\": {\"details\": […]}}."
            )
        }
        checkStructure(of: file)
    }

    private mutating func add(_ error: JSONSyntaxError) {
        let code: AssociationFinding.Code =
            switch error.kind {
            case .html: .html
            case .byteOrderMark: .byteOrderMark
            default: .invalidJSON
            }
        // A file over the parser's limit has already been reported as too large.
        guard error.kind != .tooLarge else { return }
        let fix =
            switch error.kind {
            case .html: "Serve the JSON file at this path; a catch-all page of the website seems to answer."
            case .byteOrderMark: "Save the file as UTF-8 without a byte order mark."
            default: "Correct the JSON here, then check the file again: only the first error is reported."
            }
        add(
            code,
            Location(pointer: "", position: error.position),
            "Not JSON: \(error.message) Devices drop the whole file, so no link opens any app.",
            fix: fix
        )
    }
}
