import LinkRouting

extension AssociationFinding {
    /// The codes for Android's file. They are ordered by subject: serving, parsing, the apps, the rules.
    public static let androidCatalogue: [Definition] = [
        Definition(.androidNotServed, .error, "The file's URL does not serve the file"),
        Definition(.androidRedirect, .error, "The file's URL redirects"),
        Definition(.androidContentType, .error, "The content type is not JSON"),
        Definition(.androidHostNotCovered, .error, "A host that links use does not serve the file"),
        Definition(.androidNotPublished, .error, "The host serves a different file from the published one"),
        Definition(.androidAppNotNamed, .error, "The file does not name the app"),
        Definition(.googleUnanswered, .info, "Google's API gave no answer"),
        Definition(.googleError, .error, "Google's API cannot read the file"),
        Definition(.googleNotLinked, .error, "Google's API does not link the app to the host"),
        Definition(.googleDiffers, .warning, "Google's API lists other apps than the file"),
        Definition(.androidTooLarge, .error, "The file is larger than Android accepts"),
        Definition(.androidInvalidJSON, .error, "The file is not JSON"),
        Definition(.androidHTML, .error, "The file is a web page"),
        Definition(.androidRootType, .error, "The file is not one list"),
        Definition(.androidNoStatements, .warning, "The file contains no statement"),
        Definition(.androidDuplicateKey, .warning, "An object has a duplicate key"),
        Definition(.androidUnknownKey, .warning, "A key is unknown"),
        Definition(.statement, .error, "A statement is not an object"),
        Definition(.include, .error, "An include cannot be followed"),
        Definition(.relation, .error, "A statement's relation is malformed"),
        Definition(.unsupportedRelation, .warning, "A relation is one that Android does not use"),
        Definition(.target, .error, "A statement has no target"),
        Definition(.namespace, .error, "A target's namespace is neither android_app nor web"),
        Definition(.site, .error, "A target's site is malformed"),
        Definition(.webAPK, .info, "Only Chrome reads the statement"),
        Definition(.packageName, .error, "A target's package name is malformed"),
        Definition(.fingerprints, .error, "A target lists no fingerprints"),
        Definition(.fingerprint, .error, "A fingerprint is malformed"),
        Definition(
            .publishedPrivateKey,
            .error,
            "A fingerprint belongs to a certificate whose private key is published"
        ),
        Definition(.exampleFingerprint, .warning, "A fingerprint is an example or a placeholder"),
        Definition(.oneFingerprint, .info, "An app has only one fingerprint"),
        Definition(.manifest, .info, "Rules cannot open more than the manifest"),
        Definition(.severalRuleSets, .error, "An app has several sets of dynamic rules"),
        Definition(.misplacedRules, .error, "Dynamic rules are where Android does not read them"),
        Definition(.ruleValue, .error, "A rule's value invalidates all rules"),
        Definition(.queryType, .error, "A rule's query is not an object"),
        Definition(.emptyRule, .error, "A rule has no condition on the URL"),
        Definition(.ruleKey, .warning, "A rule has a key that Android does not read"),
        Definition(.androidExcludeOnly, .error, "The rules only exclude"),
        Definition(.androidUnreachableRule, .error, "A rule can never be reached"),
        Definition(.starStops, .warning, "A '*' ends earlier than it seems"),
        Definition(.greedyWildcard, .warning, "Android 15 evaluates a pattern with '?*' differently"),
        Definition(.wildcardAfterStar, .error, "A wildcard follows a '*'"),
        Definition(.androidNoSlash, .error, "A path does not begin with a slash"),
        Definition(.androidPathSyntax, .warning, "A path pattern contains a query, a fragment or a variable"),
        Definition(.androidEncoding, .error, "A pattern is percent-encoded"),
    ]
}

extension AssociationFinding.Code {
    public static let androidNotServed = Self(rawValue: "DAL-NOT-SERVED")
    public static let androidRedirect = Self(rawValue: "DAL-REDIRECT")
    public static let androidContentType = Self(rawValue: "DAL-CONTENT-TYPE")
    public static let androidHostNotCovered = Self(rawValue: "DAL-HOST-NOT-COVERED")
    public static let androidNotPublished = Self(rawValue: "DAL-NOT-PUBLISHED")
    public static let androidAppNotNamed = Self(rawValue: "DAL-APP-NOT-NAMED")
    public static let googleUnanswered = Self(rawValue: "DAL-GOOGLE-UNANSWERED")
    public static let googleError = Self(rawValue: "DAL-GOOGLE-ERROR")
    public static let googleNotLinked = Self(rawValue: "DAL-GOOGLE-NOT-LINKED")
    public static let googleDiffers = Self(rawValue: "DAL-GOOGLE-DIFFERS")
    public static let androidTooLarge = Self(rawValue: "DAL-TOO-LARGE")
    public static let androidInvalidJSON = Self(rawValue: "DAL-INVALID-JSON")
    public static let androidHTML = Self(rawValue: "DAL-HTML")
    public static let androidRootType = Self(rawValue: "DAL-ROOT-TYPE")
    public static let androidNoStatements = Self(rawValue: "DAL-NO-STATEMENTS")
    public static let androidDuplicateKey = Self(rawValue: "DAL-DUPLICATE-KEY")
    public static let androidUnknownKey = Self(rawValue: "DAL-UNKNOWN-KEY")
    public static let statement = Self(rawValue: "DAL-STATEMENT")
    public static let include = Self(rawValue: "DAL-INCLUDE")
    public static let relation = Self(rawValue: "DAL-RELATION")
    public static let unsupportedRelation = Self(rawValue: "DAL-UNSUPPORTED-RELATION")
    public static let target = Self(rawValue: "DAL-TARGET")
    public static let namespace = Self(rawValue: "DAL-NAMESPACE")
    public static let site = Self(rawValue: "DAL-SITE")
    public static let webAPK = Self(rawValue: "DAL-WEBAPK")
    public static let packageName = Self(rawValue: "DAL-PACKAGE-NAME")
    public static let fingerprints = Self(rawValue: "DAL-FINGERPRINTS")
    public static let fingerprint = Self(rawValue: "DAL-FINGERPRINT")
    public static let publishedPrivateKey = Self(rawValue: "DAL-PUBLIC-KEY")
    public static let exampleFingerprint = Self(rawValue: "DAL-EXAMPLE-FINGERPRINT")
    public static let oneFingerprint = Self(rawValue: "DAL-ONE-FINGERPRINT")
    public static let manifest = Self(rawValue: "DAL-MANIFEST")
    public static let severalRuleSets = Self(rawValue: "DAL-SEVERAL-RULE-SETS")
    public static let misplacedRules = Self(rawValue: "DAL-MISPLACED-RULES")
    public static let ruleValue = Self(rawValue: "DAL-RULE-VALUE")
    public static let queryType = Self(rawValue: "DAL-QUERY-TYPE")
    public static let emptyRule = Self(rawValue: "DAL-EMPTY-RULE")
    public static let ruleKey = Self(rawValue: "DAL-RULE-KEY")
    public static let androidExcludeOnly = Self(rawValue: "DAL-EXCLUDE-ONLY")
    public static let androidUnreachableRule = Self(rawValue: "DAL-UNREACHABLE-RULE")
    public static let starStops = Self(rawValue: "DAL-STAR-STOPS")
    public static let greedyWildcard = Self(rawValue: "DAL-GREEDY-WILDCARD")
    public static let wildcardAfterStar = Self(rawValue: "DAL-WILDCARD-AFTER-STAR")
    public static let androidNoSlash = Self(rawValue: "DAL-NO-SLASH")
    public static let androidPathSyntax = Self(rawValue: "DAL-PATH-SYNTAX")
    public static let androidEncoding = Self(rawValue: "DAL-ENCODING")
}
