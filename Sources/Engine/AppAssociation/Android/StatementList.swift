import LinkRouting

/// The statements of a website or an app, including those of its includes, as Google's Digital Asset Links API lists
/// them.
///
/// It does no I/O: `fetch` returns the content of a location. Source: google/digitalassetlinks, compatibility tests.
public struct StatementList: Sendable, Hashable {
    public let source: StatementAsset
    /// The statements without duplicates, in the order of the files. Included statements take the place of their
    /// include.
    public let statements: [Statement]
    /// The errors in the files. They do not invalidate the statements.
    public let errors: [Failure]
    /// Remarks that explain the answer but are not errors.
    public let remarks: [String]

    /// The maximum number of files that are read for one source.
    public static let fetchBudget = 20

    public struct Statement: Sendable, Hashable {
        public let relation: StatementRelation
        public let target: StatementAsset
    }

    /// The location of a list of statements.
    public enum Location: Sendable, Hashable {
        case url(String)
        /// The `asset_statements` of the app's manifest.
        case manifest(PackageName, CertificateFingerprint)
    }

    /// The result of reading a location.
    public enum FetchedBody: Sendable, Hashable {
        /// The body of a response with status 200.
        case body([UInt8])
        case failed(Failure)
    }

    /// Why a file, or a statement in it, does not count.
    public struct Failure: Error, Sendable, Hashable {
        public let code: Code
        public let message: String

        public init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }

        /// The error codes of Google's API.
        public enum Code: String, Sendable, CaseIterable {
            case fetchError = "ERROR_CODE_FETCH_ERROR"
            case failedSSLValidation = "ERROR_CODE_FAILED_SSL_VALIDATION"
            case redirect = "ERROR_CODE_REDIRECT"
            case tooLarge = "ERROR_CODE_TOO_LARGE"
            case malformedHTTPResponse = "ERROR_CODE_MALFORMED_HTTP_RESPONSE"
            case wrongContentType = "ERROR_CODE_WRONG_CONTENT_TYPE"
            case malformedContent = "ERROR_CODE_MALFORMED_CONTENT"
            case secureAssetIncludesInsecure = "ERROR_CODE_SECURE_ASSET_INCLUDES_INSECURE"
            case fetchBudgetExhausted = "ERROR_CODE_FETCH_BUDGET_EXHAUSTED"
        }
    }

    /// Reads the statements of `source` and of the files that they include. `fetch` returns the content of a location.
    public init(of source: StatementAsset, fetch: (Location) -> FetchedBody) {
        self.source = source
        var reader = StatementListReader(isSecure: source.isSecure)
        switch source {
        case .web(let site): reader.read(.url(site.statementListURL), fetch)
        case .androidApp(let package, let fingerprint): reader.read(.manifest(package, fingerprint), fetch)
        }
        statements = reader.statements
        errors = reader.errors
        remarks = reader.statements.isEmpty ? ["No statements were found for \(source)."] : []
    }

    /// Returns the statements with `relation`; all statements if it is nil.
    public func statements(with relation: StatementRelation?) -> [Statement] {
        statements.filter { relation == nil || $0.relation == relation }
    }

    /// Returns whether the source has a statement with `relation` about `target`.
    public func links(to target: StatementAsset, by relation: StatementRelation) -> Bool {
        statements.contains(Statement(relation: relation, target: target))
    }
}

extension StatementAsset {
    /// Whether includes must be fetched over https.
    var isSecure: Bool {
        switch self {
        case .web(let site): site.scheme == .https
        case .androidApp: true
        }
    }
}

/// Reads a list and its includes, depth first.
private struct StatementListReader {
    let isSecure: Bool
    private(set) var statements: [StatementList.Statement] = []
    private(set) var errors: [StatementList.Failure] = []
    private var known: Set<StatementList.Statement> = []
    private var open: [StatementList.Location] = []
    private var closed: Set<StatementList.Location> = []

    typealias Fetch = (StatementList.Location) -> StatementList.FetchedBody

    init(isSecure: Bool) { self.isSecure = isSecure }

    /// Reads the list at `location`. A cycle of includes is reported as an exhausted budget, because reading it would
    /// use up the budget.
    mutating func read(_ location: StatementList.Location, _ fetch: Fetch) {
        guard !closed.contains(location) else { return }
        guard !open.contains(location), open.count + closed.count < StatementList.fetchBudget else {
            return fail(
                .fetchBudgetExhausted,
                "Fetch budget exhausted: the files include too many others, or themselves."
            )
        }
        open.append(location)
        switch fetch(location) {
        case .body(let bytes): read(bytes, fetch)
        case .failed(let failure): errors.append(failure)
        }
        closed.insert(open.removeLast())
    }

    private mutating func read(_ bytes: [UInt8], _ fetch: Fetch) {
        let file: AssetLinks
        do {
            file = try AssetLinks(parsing: bytes)
        } catch {
            let code: StatementList.Failure.Code = error.kind == .tooLarge ? .tooLarge : .malformedContent
            return fail(code, "Could not parse statement list: the text is not valid JSON: \(error.description)")
        }
        guard file.root.elements != nil else {
            let kind = file.root.kind
            return fail(.malformedContent, "Could not parse statement list: expected a single array, found \(kind).")
        }
        for statement in file.statements {
            switch statement.content {
            case .success(.relations(let relations, let targets)): add(relations, targets)
            case .success(.include(let url)): include(url, fetch)
            case .failure(let malformation): fail(.malformedContent, malformation.message)
            }
        }
    }

    private mutating func add(_ relations: [StatementRelation], _ targets: [StatementAsset]) {
        for relation in relations {
            for target in targets {
                let statement = StatementList.Statement(relation: relation, target: target)
                if known.insert(statement).inserted { statements.append(statement) }
            }
        }
    }

    private mutating func include(_ url: String, _ fetch: Fetch) {
        if isSecure, (try? WebSite(ofURL: url))?.scheme != .https {
            return fail(.secureAssetIncludesInsecure, "Insecure URL in fetch stack of secure asset: '\(url)'.")
        }
        read(.url(url), fetch)
    }

    private mutating func fail(_ code: StatementList.Failure.Code, _ message: String) {
        errors.append(StatementList.Failure(code, message))
    }
}
