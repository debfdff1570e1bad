import LinkRouting

extension AssociationFinding {
    /// Every code with its default severity and its title. The meaning of a code never changes.
    public static let catalogue: [Definition] = appleCatalogue + androidCatalogue

    /// The codes for Apple's file. They are ordered by subject: serving, parsing, the apps, the rules.
    public static let appleCatalogue: [Definition] = [
        Definition(.notServed, .error, "The file's URL does not serve the file"),
        Definition(.redirect, .error, "The file's URL redirects"),
        Definition(.contentType, .warning, "The content type is not JSON"),
        Definition(.hostNotCovered, .error, "A host that links use does not serve the file"),
        Definition(.notPublished, .error, "The host serves a different file from the published one"),
        Definition(.rootOnly, .error, "The file is only at the root of the host"),
        Definition(.appNotNamed, .error, "The file does not name the app"),
        Definition(.cdnFailure, .error, "Apple's CDN has no file for the host"),
        Definition(.cdnStale, .info, "Apple's CDN has an older file than the host"),
        Definition(.testAdvice, .info, "A reason why a link may stay in the browser although the file opens it"),
        Definition(.entitlement, .error, "An associated-domains entitlement that no system accepts"),
        Definition(.entitlementMode, .warning, "An entitlement mode that users' devices ignore"),
        Definition(.tooLarge, .error, "The file is larger than devices accept"),
        Definition(.html, .error, "The file is a web page"),
        Definition(.byteOrderMark, .error, "The file starts with a byte order mark"),
        Definition(.invalidJSON, .error, "The file is not JSON"),
        Definition(.signed, .warning, "The file is signed"),
        Definition(.signature, .info, "The signature of the file was not verified"),
        Definition(.rootType, .error, "The file is not one object"),
        Definition(.noService, .error, "The file names no service"),
        Definition(.unknownService, .info, "A top-level key is one that no system reads"),
        Definition(.duplicateKey, .warning, "An object has a duplicate key"),
        Definition(.serviceApps, .error, "A service does not list its apps"),
        Definition(.detailsMissing, .error, "applinks has no details"),
        Definition(.detailsType, .error, "A value under applinks has a type that devices do not read"),
        Definition(.detailsEmpty, .warning, "details names no app"),
        Definition(.detailsDictionary, .warning, "details is written in the form of iOS 8"),
        Definition(.appsNotEmpty, .warning, "apps is not empty"),
        Definition(.appsMissing, .warning, "apps is missing although there are rules for iOS 12"),
        Definition(.noAppID, .error, "An entry names no app"),
        Definition(.appID, .error, "An app identifier is malformed"),
        Definition(.appIDPrefix, .warning, "An app identifier's prefix is not a team identifier"),
        Definition(.duplicateApp, .warning, "An app has several entries"),
        Definition(.mixedAppIDs, .warning, "An entry has both appID and appIDs"),
        Definition(.mixedRules, .warning, "An entry has both components and paths"),
        Definition(.mixedForms, .warning, "An entry mixes keys of different systems"),
        Definition(.noRules, .error, "An entry has no rules"),
        Definition(.emptyRules, .warning, "An entry's list of rules is empty"),
        Definition(.excludeOnly, .warning, "An entry only excludes"),
        Definition(.unknownKey, .error, "A key is unknown"),
        Definition(.valueType, .error, "A value has the wrong type"),
        Definition(.appleEmptyRule, .warning, "A rule has no condition"),
        Definition(.pointlessExclusion, .info, "No opening rule follows an exclusion"),
        Definition(.unreachableRule, .error, "A rule can never be reached"),
        Definition(.excludesEverything, .error, "An exclusion matches every URL"),
        Definition(.optionalItem, .warning, "A query item's pattern also matches when the item is absent"),
        Definition(.queryInPath, .error, "A path contains a query"),
        Definition(.fragmentInPath, .error, "A path contains a fragment"),
        Definition(.delimiter, .error, "A query or fragment contains its delimiter"),
        Definition(.pathSyntax, .error, "A pattern is written in a syntax that devices do not know"),
        Definition(.noSlash, .info, "A path does not begin with a slash"),
        Definition(.encoding, .error, "A pattern is encoded so that it matches no URL"),
        Definition(.escapeCase, .warning, "An escape is written in lower case"),
        Definition(.backslash, .warning, "A pattern contains a backslash"),
        Definition(.complexity, .warning, "A pattern has too many wildcards"),
        Definition(.unknownVariable, .error, "A pattern uses a variable that does not exist"),
        Definition(.variableValue, .error, "A variable's value is not used"),
        Definition(.shadowedVariable, .warning, "A variable hides a built-in one"),
        Definition(.letterCase, .info, "Rules differ only in letter case"),
    ]
}

extension AssociationFinding.Code {
    public static let notServed = Self(rawValue: "AASA-NOT-SERVED")
    public static let redirect = Self(rawValue: "AASA-REDIRECT")
    public static let contentType = Self(rawValue: "AASA-CONTENT-TYPE")
    public static let hostNotCovered = Self(rawValue: "AASA-HOST-NOT-COVERED")
    public static let notPublished = Self(rawValue: "AASA-NOT-PUBLISHED")
    public static let appNotNamed = Self(rawValue: "AASA-APP-NOT-NAMED")
    public static let cdnFailure = Self(rawValue: "AASA-CDN-FAILURE")
    public static let cdnStale = Self(rawValue: "AASA-CDN-STALE")
    public static let testAdvice = Self(rawValue: "AASA-TEST-ADVICE")
    public static let entitlement = Self(rawValue: "AASA-ENTITLEMENT")
    public static let entitlementMode = Self(rawValue: "AASA-ENTITLEMENT-MODE")
    public static let tooLarge = Self(rawValue: "AASA-TOO-LARGE")
    public static let html = Self(rawValue: "AASA-HTML")
    public static let byteOrderMark = Self(rawValue: "AASA-BYTE-ORDER-MARK")
    public static let invalidJSON = Self(rawValue: "AASA-INVALID-JSON")
    public static let rootOnly = Self(rawValue: "AASA-ROOT-ONLY")
    public static let signed = Self(rawValue: "AASA-SIGNED")
    public static let signature = Self(rawValue: "AASA-SIGNATURE")
    public static let rootType = Self(rawValue: "AASA-ROOT-TYPE")
    public static let noService = Self(rawValue: "AASA-NO-SERVICE")
    public static let unknownService = Self(rawValue: "AASA-UNKNOWN-SERVICE")
    public static let duplicateKey = Self(rawValue: "AASA-DUPLICATE-KEY")
    public static let serviceApps = Self(rawValue: "AASA-SERVICE-APPS")
    public static let detailsMissing = Self(rawValue: "AASA-DETAILS-MISSING")
    public static let detailsType = Self(rawValue: "AASA-DETAILS-TYPE")
    public static let detailsEmpty = Self(rawValue: "AASA-DETAILS-EMPTY")
    public static let detailsDictionary = Self(rawValue: "AASA-DETAILS-DICTIONARY")
    public static let appsNotEmpty = Self(rawValue: "AASA-APPS-NOT-EMPTY")
    public static let appsMissing = Self(rawValue: "AASA-APPS-MISSING")
    public static let noAppID = Self(rawValue: "AASA-NO-APP-ID")
    public static let appID = Self(rawValue: "AASA-APP-ID")
    public static let appIDPrefix = Self(rawValue: "AASA-APP-ID-PREFIX")
    public static let duplicateApp = Self(rawValue: "AASA-DUPLICATE-APP")
    public static let mixedAppIDs = Self(rawValue: "AASA-MIXED-APP-IDS")
    public static let mixedRules = Self(rawValue: "AASA-MIXED-RULES")
    public static let mixedForms = Self(rawValue: "AASA-MIXED-FORMS")
    public static let noRules = Self(rawValue: "AASA-NO-RULES")
    public static let emptyRules = Self(rawValue: "AASA-EMPTY-RULES")
    public static let excludeOnly = Self(rawValue: "AASA-EXCLUDE-ONLY")
    public static let unknownKey = Self(rawValue: "AASA-UNKNOWN-KEY")
    public static let valueType = Self(rawValue: "AASA-VALUE-TYPE")
    public static let appleEmptyRule = Self(rawValue: "AASA-EMPTY-RULE")
    public static let pointlessExclusion = Self(rawValue: "AASA-POINTLESS-EXCLUSION")
    public static let unreachableRule = Self(rawValue: "AASA-UNREACHABLE-RULE")
    public static let excludesEverything = Self(rawValue: "AASA-EXCLUDES-EVERYTHING")
    public static let optionalItem = Self(rawValue: "AASA-OPTIONAL-ITEM")
    public static let queryInPath = Self(rawValue: "AASA-QUERY-IN-PATH")
    public static let fragmentInPath = Self(rawValue: "AASA-FRAGMENT-IN-PATH")
    public static let delimiter = Self(rawValue: "AASA-DELIMITER")
    public static let pathSyntax = Self(rawValue: "AASA-PATH-SYNTAX")
    public static let noSlash = Self(rawValue: "AASA-NO-SLASH")
    public static let encoding = Self(rawValue: "AASA-ENCODING")
    public static let escapeCase = Self(rawValue: "AASA-ESCAPE-CASE")
    public static let backslash = Self(rawValue: "AASA-BACKSLASH")
    public static let complexity = Self(rawValue: "AASA-COMPLEXITY")
    public static let unknownVariable = Self(rawValue: "AASA-UNKNOWN-VARIABLE")
    public static let variableValue = Self(rawValue: "AASA-VARIABLE-VALUE")
    public static let shadowedVariable = Self(rawValue: "AASA-SHADOWED-VARIABLE")
    public static let letterCase = Self(rawValue: "AASA-LETTER-CASE")
}
