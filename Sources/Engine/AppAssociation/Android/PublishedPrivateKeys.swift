/// Signing keys whose private halves are published. Anyone can sign an app with such a key and any package name, and
/// Android verifies it.
///
/// Each fingerprint is the SHA-256 of the published certificate, computed with keytool or openssl.
package enum PublishedPrivateKeys {
    /// The name of the published key that a certificate belongs to; nil if none is known.
    package static func name(of fingerprint: String) -> String? { names[fingerprint] }

    private static let names = [
        // github.com/react-native-community/template, template/android/app/debug.keystore.
        "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C":
            "the debug key in React Native's template",
        // github.com/patrickfav/uber-apk-signer, src/main/resources/debug.keystore.
        "1E:08:A9:03:AE:F9:C3:A7:21:51:0B:64:EC:76:4D:01:D3:D0:94:EB:95:41:61:B6:25:44:EA:8F:18:7B:59:53":
            "the debug key of uber-apk-signer",
        // android.googlesource.com/platform/build, target/product/security/*.x509.pem.
        "A4:0D:A8:0A:59:D1:70:CA:A9:50:CF:15:C1:8C:45:4D:47:A3:9B:26:98:9D:8B:64:0E:CD:74:5B:A7:1B:F5:DC":
            "the test key of Android's sources",
        "C8:A2:E9:BC:CF:59:7C:2F:B6:DC:66:BE:E2:93:FC:13:F2:FC:47:EC:77:BC:6B:2B:0D:52:C1:1F:51:19:2A:B8":
            "the platform key of Android's sources",
        "28:BB:FE:4A:7B:97:E7:46:81:DC:55:C2:FB:B6:CC:B8:D6:C7:49:63:73:3F:6A:F6:AE:74:D8:C3:A6:E8:79:FD":
            "the shared key of Android's sources",
        "46:59:83:F7:79:1F:2A:BE:B4:3E:A2:CB:DC:7F:21:A8:26:0B:72:BC:08:A5:5C:83:9F:C1:A4:3B:C7:41:A8:1E":
            "the media key of Android's sources",
        "E1:DB:AD:CE:60:DC:08:0D:15:B5:8A:01:4B:0D:CF:94:00:E2:4D:E2:3F:A0:0B:28:7A:5A:98:2B:FE:BD:A2:EE":
            "the network stack key of Android's sources",
    ]
}
