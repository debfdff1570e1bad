import LinkRouting

/// The words of a User-Agent, read in one pass.
struct UserAgentScanner {
    private(set) var signs: UserAgent.Signs = []
    /// The first kind, in the order of ``BotClass``, of the programs that are named.
    private(set) var botClass: BotClass?
    /// The first, in the order of ``InAppBrowser``, of the apps that are named.
    private(set) var app: InAppBrowser?
    private(set) var holdsURL = false
    private(set) var first = First.unknown

    /// The kind of word that the text begins with.
    enum First {
        case mozilla
        /// An app or a browser.
        case known
        case unknown
    }

    /// Versions by the word before them.
    private var versions: [Announcement: Version] = [:]
    private var isAndroidTenK = false

    private enum Announcement: String {
        case ios = "os"
        case mac = "x"
        case windows = "nt"
        case android
        case harmony = "harmonyos"
        /// The browser's version; on iPhones and iPads also the system's.
        case browser = "version"
        /// The system's version as Facebook's apps report it.
        case facebook = "fbsv"
    }

    private static let afterScheme = Array("://".utf8)

    init(_ text: String) {
        let bytes = text.utf8.prefix(UserAgent.maximumBytes).map(\.lowercasedASCII)
        var announcement: Announcement?
        var position = 0
        var isFirst = true
        while let range = Self.nextWord(in: bytes, from: position) {
            position = range.upperBound
            if bytes[position...].starts(with: Self.afterScheme) { holdsURL = true }
            let word = bytes[range]
            if let announced = announcement, let version = Self.version(word) {
                if versions[announced] == nil { versions[announced] = version }
                announcement = nil
                continue
            }
            // "Android 10; K": Chrome reports this on every phone.
            if announcement == nil, word.elementsEqual([UInt8(ascii: "k")]), versions[.android]?.description == "10" {
                isAndroidTenK = true
            }
            let name = String(decoding: word.prefix(UserAgentWords.longest), as: UTF8.self)
            announcement = Announcement(rawValue: name)
            if isFirst, name == "mozilla" { first = .mozilla }
            note(word, isFirst: isFirst)
            isFirst = false
        }
    }

    private mutating func note(_ word: ArraySlice<UInt8>, isFirst: Bool) {
        guard let meaning = Self.meaning(of: word, isFirst: isFirst) else { return }
        switch meaning {
        case .bot(let kind): botClass = Self.earlier(botClass, kind)
        case .app(let named):
            app = Self.earlier(app, named)
            note(named.signs, isFirst: isFirst)
        case .signs(let found): note(found, isFirst: isFirst)
        }
    }

    private mutating func note(_ found: UserAgent.Signs, isFirst: Bool) {
        signs.formUnion(found)
        if isFirst, !found.isDisjoint(with: [.app, .browser]) { first = .known }
    }

    /// Returns the meaning of the word. If it has none, returns that of the longest prefix that ends before a joint and
    /// has a meaning.
    private static func meaning(of word: ArraySlice<UInt8>, isFirst: Bool) -> UserAgentWords.Meaning? {
        var part = word.prefix(UserAgentWords.longest)
        while true {
            let name = String(decoding: part, as: UTF8.self)
            if isFirst, let kind = UserAgentWords.leading[name] { return .bot(kind) }
            if let meaning = UserAgentWords.meanings[name] { return meaning }
            if let (_, kind) = UserAgentWords.endings.first(where: {
                part.suffix($0.ending.count).elementsEqual($0.ending)
            }) {
                return .bot(kind)
            }
            guard let joint = part.lastIndex(where: \.isJoint), joint > part.startIndex else { return nil }
            part = part[..<joint]
        }
    }

    /// Returns the one of two kinds that is declared first.
    private static func earlier<Kind: CaseIterable & Equatable>(_ known: Kind?, _ kind: Kind) -> Kind {
        guard let known else { return kind }
        return Kind.allCases.first { $0 == known || $0 == kind } ?? kind
    }

    /// Whether the system is HarmonyOS without a mention of Android, but of a version that runs its apps: before 5.
    var isHarmonyWithAndroidApps: Bool {
        guard let version = versions[.harmony], let next = Version("5") else { return false }
        return version < next
    }

    /// Returns the system's version; nil where all devices of a kind report the same.
    func osVersion(of platform: Platform) -> Version? {
        switch platform {
        case .ios where signs.contains(.mac) && signs.isDisjoint(with: [.iPhone, .iPad]):
            // Such a text has the versions of a Mac.
            return versions[.facebook]
        case .ios:
            // From iOS 26 on, Safari reports 18.6 as the system; its own version is still that of the system.
            return [versions[.ios], versions[.facebook], versions[.browser]].compactMap(\.self).max()
        case .android:
            return versions[.facebook] ?? (isAndroidTenK ? nil : versions[.android])
        case .macos:
            // Every browser reports 10.15 since macOS 11.
            return versions[.mac].flatMap { $0.description.hasPrefix("10.15") ? nil : $0 }
        case .windows:
            return versions[.windows]
        case .linux, .other:
            return nil
        }
    }

    // MARK: Parsing

    private static func nextWord(in bytes: [UInt8], from start: Int) -> Range<Int>? {
        guard let first = bytes[start...].firstIndex(where: \.isInWord) else { return nil }
        return first..<(bytes[first...].firstIndex { !$0.isInWord } ?? bytes.endIndex)
    }

    /// Parses a version such as `17_4_1` or `10.0`.
    private static func version(_ word: ArraySlice<UInt8>) -> Version? {
        guard word.first?.isDigit == true, word.count <= longestVersion else { return nil }
        let dots = word.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: ".") : $0 }
        return Version(String(decoding: dots, as: UTF8.self))
    }

    private static let longestVersion = 16
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isInWord: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || isJoint || self >= 0x80
    }

    /// Whether the byte separates the parts of a name.
    fileprivate var isJoint: Bool {
        self == UInt8(ascii: "-") || self == UInt8(ascii: "_") || self == UInt8(ascii: ".")
    }

    fileprivate var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
