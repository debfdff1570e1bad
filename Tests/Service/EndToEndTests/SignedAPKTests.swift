import Foundation
import TestSupport
import Testing

/// The fingerprints of APKs that Android's own tool signed are those that the tool prints.
@Suite(.timeLimit(.minutes(15)))
struct SignedAPKTests {
    private static let obstacle: Comment? = {
        let missing = ["apksigner", "keytool", "zip"].filter { name in
            (try? run("sh", "-c", "command -v \(name) >/dev/null").status) != 0
        }
        return missing.isEmpty
            ? nil : "SKIPPED: install the packages apksigner, default-jdk-headless and zip to run this"
    }()

    private func shell(_ command: String, in directory: String) async throws -> (status: Int32, text: String) {
        let result = try await runBeside("sh", ["-c", "cd '\(directory)' && { \(command); } 2>&1"])
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    /// APKs by their signatures: v1 and v2; v3 only; two signers; a key that was rotated, so that v3 has the new one.
    @Test(.enabled(if: obstacle == nil, obstacle)) func fingerprintsAreThoseOfApksigner() async throws {
        try await withTemporaryDirectory { directory in
            let key =
                "-storetype JKS -storepass secret1 -keypass secret1 -validity 9999 -keyalg EC -groupname secp256r1"
            let (one, two) = ("--ks one.jks --ks-pass pass:secret1", "--ks two.jks --ks-pass pass:secret1")
            let setUp = try await shell(
                """
                printf manifest > AndroidManifest.xml && printf dex > classes.dex && zip -q app.apk AndroidManifest.xml classes.dex \
                && keytool -genkeypair -keystore one.jks -alias one -dname CN=One \(key) \
                && keytool -genkeypair -keystore two.jks -alias two -dname CN=Two \(key) \
                && apksigner rotate --out lineage --old-signer \(one) --new-signer \(two)
                """,
                in: directory
            )
            try #require(setUp.status == 0, "\(setUp.text)")
            for (name, options, count) in [
                ("v2", "--v3-signing-enabled false \(one)", 1),
                ("v3", "--min-sdk-version 28 --v1-signing-enabled false --v2-signing-enabled false \(one)", 1),
                ("both", "--v3-signing-enabled false \(one) --next-signer \(two)", 2),
                ("rotated", "--lineage lineage \(one) --next-signer \(two)", 2),
            ] {
                let least = options.contains("min-sdk") ? "" : "--min-sdk-version 24"
                let signed = try await shell(
                    "cp app.apk \(name).apk && apksigner sign \(least) \(options) \(name).apk",
                    in: directory
                )
                try #require(signed.status == 0, "\(signed.text)")
                let verified = try await shell(
                    "apksigner verify --print-certs --min-sdk-version 24 --max-sdk-version 28 \(name).apk",
                    in: directory
                )
                let expected = verified.text.matches(of: /SHA-256 digest: ([0-9a-f]{64})/).map { String($0.output.1) }
                try #require(!expected.isEmpty, "\(verified.text)")
                let tool = RunningServer.products.appending(path: "fingerpost").path
                let found = try await shell("'\(tool)' association fingerprint \(name).apk", in: directory)
                #expect(found.status == 0, "\(found.text)")
                let fingerprints = found.text.split(separator: "\n").compactMap { line in
                    line.split(separator: " ").first.map { $0.replacing(":", with: "").lowercased() }
                }
                #expect(fingerprints.count == count, "\(name): \(found.text)")
                #expect(Set(expected).isSubset(of: fingerprints), "\(name): \(found.text)")
            }
            // A signature of the first scheme is in files of its own; the message says how to read it.
            let old = try await shell(
                "cp app.apk v1.apk && jarsigner -keystore one.jks -storepass secret1 v1.apk one >/dev/null",
                in: directory
            )
            try #require(old.status == 0, "\(old.text)")
            let tool = RunningServer.products.appending(path: "fingerpost").path
            let refused = try await shell("'\(tool)' association fingerprint v1.apk", in: directory)
            #expect(
                refused.status == 65 && refused.text.contains("run: keytool -printcert -jarfile FILE"),
                "\(refused.text)"
            )
            let printed = try await shell("keytool -printcert -jarfile v1.apk", in: directory)
            let own = try await shell("'\(tool)' association fingerprint one.jks", in: directory)
            #expect(printed.text.contains(own.text.prefix(95)), "\(printed.text)")
        }
    }
}
