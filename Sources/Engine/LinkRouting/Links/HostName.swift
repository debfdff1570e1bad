/// A registered host, in the two forms that links may use.
public struct HostName: Sendable, Hashable {
    /// The host in ASCII: lower case, international labels as `xn--…` (A-labels), no trailing dot.
    public let ascii: String
    /// The same host in lower-case Unicode; equal to `ascii` if it has no international label.
    public let unicode: String

    /// Maximum length of a name without its trailing dot, in bytes.
    static let maximumLength = 253
    private static let maximumLabelLength = 63

    /// Parses either form. No UTS #46 mapping is done beyond scalar-by-scalar lower-casing. A name that needs it is
    /// refused, because lookups of its links would not find the name that its owner meant.
    public init(_ text: some StringProtocol) throws(Problem) {
        let bytes = Array(text.utf8)
        guard !bytes.contains(UInt8(ascii: "%")), let lookup = Self.lookupForm(bytes[...]), !lookup.isEmpty else {
            throw .notAHost
        }
        guard !Self.isPlain(lookup) else {
            self.ascii = lookup
            self.unicode = lookup
            return
        }
        var ascii: [String] = []
        var unicode: [String] = []
        for label in lookup.unicodeScalars.split(separator: ".") {
            let forms = try Self.forms(of: String(label))
            ascii.append(forms.ascii)
            unicode.append(forms.unicode)
        }
        self.ascii = ascii.joined(separator: ".")
        self.unicode = unicode.joined(separator: ".")
        guard self.ascii.utf8.count <= Self.maximumLength else { throw .tooLong }
    }

    /// Whether a host in lookup form needs no conversion and no check of its labels: it is ASCII without a hyphen, short,
    /// and has no empty label. Most hosts are.
    private static func isPlain(_ lookup: String) -> Bool {
        var labelStart = 0
        for (index, byte) in lookup.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): continue
            case UInt8(ascii: ".") where (1...maximumLabelLength).contains(index - labelStart): labelStart = index + 1
            default: return false
            }
        }
        let count = lookup.utf8.count
        return count <= maximumLength && (1...maximumLabelLength).contains(count - labelStart)
    }

    /// Creates a host from two forms that are known to match.
    init(ascii: String, unicode: String) {
        self.ascii = ascii
        self.unicode = unicode
    }

    /// Whether a link's host, in lookup form, is this name.
    func isWritten(_ host: String) -> Bool { host == ascii || host == unicode }

    /// Whether a link's host, in lookup form, is a subdomain of this name.
    func isParent(of host: String) -> Bool {
        if Self.ends(host, inLabelsOf: ascii) { return true }
        // Only non-ASCII names have more than one spelling.
        guard !host.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        return Self.parents(of: host).contains { $0 == ascii || $0 == unicode }
    }

    /// Whether a host ends with a dot and `name`, compared by bytes.
    private static func ends(_ host: String, inLabelsOf name: String) -> Bool {
        func ends(_ host: UnsafeBufferPointer<UInt8>, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
            let dot = host.count - name.count - 1
            guard dot >= 0, host[dot] == UInt8(ascii: ".") else { return false }
            for index in name.indices where host[dot + 1 + index] != name[index] { return false }
            return true
        }
        // Strings are contiguous, except for bridged ones on platforms with another string type.
        return host.utf8.withContiguousStorageIfAvailable { host in
            name.utf8.withContiguousStorageIfAvailable { ends(host, $0) }
        }?.flatMap { $0 } ?? host.hasSuffix("." + name)
    }

    /// Returns the suffix after each dot of a host, longest first. Dots are searched as scalars: as part of a
    /// `Character`, a dot may be combined with a preceding letter such as U+0D4E.
    public static func parents(of host: String) -> some Sequence<Substring> {
        host.unicodeScalars.indices.lazy.filter { host.unicodeScalars[$0] == "." }
            .map { host[host.unicodeScalars.index(after: $0)...] }
    }

    /// The reason why a text cannot be registered as a host.
    public enum Problem: Error, Hashable, Sendable {
        case notAHost
        /// A label of more than 63 bytes or a name of more than 253 bytes, in the ASCII form.
        case tooLong
        /// A label that starts or ends with a hyphen.
        case hyphen(label: String)
        /// An `xn--` label that is not valid Punycode, or not the canonical encoding of its text.
        case notPunycode(label: String)
        /// A character that UTS #46 would map to another.
        case needsMapping(Unicode.Scalar)
        /// The label is not in Unicode normalization form C, which would compose or reorder it.
        case notComposed(label: String)

        /// The problem, and what to write instead.
        public var message: String {
            switch self {
            case .notAHost:
                "not a host; write a name such as links.example.com, without scheme, port or path."
            case .tooLong:
                "too long; a label has at most 63 bytes and a name 253, with international labels written as xn--…."
            case .hyphen(let label):
                "the label '\(label)' starts or ends with a hyphen; no registered name does."
            case .notPunycode(let label):
                "'\(label)' is not valid Punycode; write the name itself, or copy its xn--… form again."
            case .needsMapping(let scalar):
                "'\(scalar)' (U+\(String(scalar.value, radix: 16, uppercase: true))) maps to other characters in a "
                    + "host name; write those, or the name's xn--… form."
            case .notComposed(let label):
                "the label '\(label)' has letters and accents as separate characters; write it composed (NFC), or "
                    + "its xn--… form."
            }
        }
    }

    /// Returns both forms of a label in lookup form.
    private static func forms(of label: String) throws(Problem) -> (ascii: String, unicode: String) {
        guard label.utf8.first != UInt8(ascii: "-"), label.utf8.last != UInt8(ascii: "-") else {
            throw .hyphen(label: label)
        }
        var unicode = label
        if label.hasPrefix("xn--") {
            guard let decoded = Punycode.decode(String(label.dropFirst(4))) else { throw .notPunycode(label: label) }
            unicode = decoded
        }
        var ascii = unicode
        if !unicode.utf8.allSatisfy({ $0 < 0x80 }) {
            for scalar in unicode.unicodeScalars where needsMapping(scalar) { throw .needsMapping(scalar) }
            // The decoded text may contain characters that no host may have, even dots.
            guard lookupForm(Array(unicode.utf8)[...])?.utf8.elementsEqual(unicode.utf8) == true else {
                throw .notPunycode(label: label)
            }
            guard isComposed(unicode) else { throw .notComposed(label: label) }
            guard let encoded = Punycode.encode(unicode.unicodeScalars.map(\.value)) else { throw .tooLong }
            ascii = "xn--" + encoded
        }
        // A name has exactly one A-label. Others, such as `xn--abc-` for `abc`, could otherwise be registered as a
        // second domain.
        guard label == unicode || label == ascii else { throw .notPunycode(label: label) }
        guard ascii.utf8.count <= maximumLabelLength else { throw .tooLong }
        return (ascii, unicode)
    }

    /// Whether UTS #46 would map the scalar, as far as the standard library can tell. The four deviation characters are
    /// kept, as in IDNA 2008 and in browsers.
    private static func needsMapping(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.properties.changesWhenNFKCCaseFolded else { return false }
        return scalar != "ß" && scalar != "ς" && !joiners.contains(scalar)
    }

    /// Whether a label without compatibility characters is in normalization form C.
    ///
    /// The standard library compares strings by canonical equivalence, but has no public function to compose them. A
    /// base and a mark are composable if some single scalar is equal to the pair; all such scalars lie in the ranges of
    /// `composites`.
    private static func isComposed(_ label: String) -> Bool {
        var base: Unicode.Scalar?
        var lastClass: UInt8 = 0
        for scalar in label.unicodeScalars {
            let combiningClass = scalar.properties.canonicalCombiningClass.rawValue
            guard combiningClass == 0 || lastClass <= combiningClass else { return false }
            // A mark is blocked from the base if a mark of the same or a higher combining class precedes it.
            let isBlocked = lastClass != 0 && combiningClass <= lastClass
            lastClass = combiningClass
            switch scalar {
            case "\u{1161}"..."\u{1175}", "\u{11A8}"..."\u{11C2}":
                // Hangul vowels and finals must be composed into their syllable.
                return false
            default:
                break
            }
            if let base, isMark(scalar), !isBlocked {
                var pair = String.UnicodeScalarView()
                pair.append(base)
                pair.append(scalar)
                if composites.contains(String(pair)) { return false }
            }
            if combiningClass == 0 { base = scalar }
        }
        return true
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark: true
        default: false
        }
    }

    /// The scalars that may be compositions of a letter and a mark. Scalars that change under case folding are
    /// left out: they cannot occur in a label. They include those that normalization form C decomposes.
    private static let composites: Set<String> = {
        var composites: Set<String> = []
        for range in [UInt32(0xC0)..<0x3100, 0x1_1090..<0x1_1940] {
            for value in range {
                guard let scalar = Unicode.Scalar(value), !scalar.properties.changesWhenNFKCCaseFolded else { continue }
                composites.insert(String(scalar))
            }
        }
        return composites
    }()
}
