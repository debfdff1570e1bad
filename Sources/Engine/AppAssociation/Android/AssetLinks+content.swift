extension AssetLinks {
    private static let ownWords = ["\"delegate_permission/", "\"android_app\"", "\"sha256_cert_fingerprints\""]
    private static let appleWords = ["\"applinks\"", "\"webcredentials\"", "\"appclips\"", "\"activitycontinuation\""]

    /// Returns whether bytes of an unknown name are rather this file than `apple-app-site-association`: by the words of
    /// one of them, else if they begin with a list. The bytes need not be JSON.
    public static func isLikely(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        guard !appleWords.contains(where: text.containsBytes) else { return false }
        let first = text.unicodeScalars.first { !" \n\r\t\u{FEFF}".unicodeScalars.contains($0) }
        return first == "[" || ownWords.contains(where: text.containsBytes)
    }
}
