import Testing
import fingerpost

/// Which of the two association files a file is.
struct AssociationPlatformTests {
    private static let apple = #"{"applinks": {"details": []}}"#
    private static let statement = #"{"relation": ["delegate_permission/common.handle_all_urls"]}"#

    @Test(
        arguments: [
            // The name decides, whatever the content is.
            ("assetlinks.json", statement, .android), ("a/assetlinks.json", "<html></html>", .android),
            ("assetlinks.json", "", .android), ("assetlinks.json", apple, .android),
            ("assetlinks.json.txt", apple, .android),
            ("old-AssetLinks (1).json", apple, .android), ("assetlinks/file", apple, .ios),
            ("apple-app-site-association", "[\(statement)]", .ios), ("apple-app-site-association.json", "[]", .ios),
            ("apple-app-site-association.txt", statement, .ios), ("a/Apple-App-Site-Association", "<html>", .ios),
            // Else the content does.
            ("-", apple, .ios), ("-", "[\(apple)]", .ios), ("-", "[\(statement)]", .android),
            ("-", statement, .android),
            ("file.json", "\u{FEFF}\n[1]", .android), ("file.json", "[{},]", .android), ("file.json", "{}", .ios),
            ("-", "", .ios), ("-", "<html></html>", .ios), ("-", #"{"webcredentials": {"apps": []}"#, .ios),
            ("-", #"{"target": {"namespace": "android_app""#, .android),
        ] as [(String, String, AssociationPlatform)]
    )
    func nameThenContentDecides(_ path: String, _ content: String, _ platform: AssociationPlatform) {
        #expect(AssociationPlatform(of: Array(content.utf8), named: path) == platform)
    }
}
