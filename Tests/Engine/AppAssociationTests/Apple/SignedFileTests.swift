import AppAssociation
import FoundationEssentials
import LinkRouting
import Testing

/// Files signed by OpenSSL with a throw-away key, without certificates.
struct SignedFileTests {
    private static let json =
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.acme"],"components":[{"/":"/buy/*"}]}]}}"#

    private static let envelopes = [
        // openssl cms -sign -nodetach -binary -nocerts -noattr -outform DER
        """
        MIIBIgYJKoZIhvcNAQcCoIIBEzCCAQ8CAQExDTALBglghkgBZQMEAgEwagYJKoZIhvcNAQcBoF0EW3siYXBwbGlua3MiOnsiZGV0\
        YWlscyI6W3siYXBwSURzIjpbIkFCQ0RFMTIzNDUuY29tLmFjbWUiXSwiY29tcG9uZW50cyI6W3siLyI6Ii9idXkvKiJ9XX1dfX0x\
        gY4wgYsCAQEwJDAMMQowCAYDVQQDDAF0AhRGvM6Itzc7lu+Tg8P6opYskzf5BjALBglghkgBZQMEAgEwCgYIKoZIzj0EAwIERzBF\
        AiEAgXJh3vQ38AnMyWcA51GckpPH/EYNt8wo3KYj+tmBUAACIH/UQAwUNAlgZD6mNOpyYdK4PFFjTutE8iKofdvntqtI
        """,
        // The same with -stream: indefinite lengths, and the content in pieces.
        """
        MIAGCSqGSIb3DQEHAqCAMIACAQExDTALBglghkgBZQMEAgEwgAYJKoZIhvcNAQcBoIAkgARbeyJhcHBsaW5rcyI6eyJkZXRhaWxz\
        IjpbeyJhcHBJRHMiOlsiQUJDREUxMjM0NS5jb20uYWNtZSJdLCJjb21wb25lbnRzIjpbeyIvIjoiL2J1eS8qIn1dfV19fQAAAAAA\
        ADGBjzCBjAIBATAkMAwxCjAIBgNVBAMMAXQCFEa8zoi3NzuW75ODw/qiliyTN/kGMAsGCWCGSAFlAwQCATAKBggqhkjOPQQDAgRI\
        MEYCIQCygMDQMQ+5QQYtXyY0naANHNVsRLEJJtT6RPK8Xa2+swIhAIsP1uQxO5dFYN8ITJg+ndw+Oee6ZVDLQ0aYnHhZsqR1AAAA\
        AAAA
        """,
        // openssl smime -sign -nodetach -binary -nocerts -noattr -outform DER
        """
        MIIBJgYJKoZIhvcNAQcCoIIBFzCCARMCAQExDzANBglghkgBZQMEAgEFADBqBgkqhkiG9w0BBwGgXQRbeyJhcHBsaW5rcyI6eyJk\
        ZXRhaWxzIjpbeyJhcHBJRHMiOlsiQUJDREUxMjM0NS5jb20uYWNtZSJdLCJjb21wb25lbnRzIjpbeyIvIjoiL2J1eS8qIn1dfV19\
        fTGBkDCBjQIBATAkMAwxCjAIBgNVBAMMAXQCFEa8zoi3NzuW75ODw/qiliyTN/kGMA0GCWCGSAFlAwQCAQUAMAoGCCqGSM49BAMC\
        BEcwRQIhAIKaukL5v3Km2HQisGy6hgGV6AG1NbZzgQYLc6xl0UlgAiA6wvywSRm7uPsIHqx8hwwwE7Po3n+qf540qukT/OxfTg==
        """,
    ]

    private func bytes(_ base64: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: base64))) }

    @Test(arguments: envelopes)
    func contentIsReadFromItsEnvelope(_ base64: String) throws {
        let envelope = try bytes(base64)
        #expect(SignedFile.isEnvelope(envelope))
        #expect(SignedFile.content(of: envelope) == Array(Self.json.utf8))
        let file = try AppleAppSiteAssociation(parsing: envelope)
        #expect(file.decision(for: "https://www.acme.com/buy/1").outcome == .match)
        let codes = AppleAppSiteAssociation.validate(envelope).map(\.code)
        #expect(Set(codes) == [.signed, .signature])
    }

    @Test(arguments: envelopes)
    func envelopeCutAnywhereBeforeItsContentEndsHasNone(_ base64: String) throws {
        let envelope = try bytes(base64)
        for count in 2..<120 {
            let cut = Array(envelope.prefix(count))
            #expect(SignedFile.content(of: cut) == nil, "\(count)")
            #expect(AppleAppSiteAssociation.validate(cut).contains { $0.code == .signed && $0.severity == .error })
        }
    }

    @Test(arguments: envelopes)
    func changedByteNeverTraps(_ base64: String) throws {
        let envelope = try bytes(base64)
        for place in envelope.indices {
            for byte: UInt8 in [0x00, 0x24, 0x30, 0x7F, 0x80, 0x84, 0xFF] {
                var changed = envelope
                changed[place] = byte
                // Whatever it returns, it is no larger than the file.
                #expect((SignedFile.content(of: changed)?.count ?? 0) <= envelope.count)
            }
        }
    }

    @Test func nestedIndefiniteLengthsAreBounded() {
        let nested = Array(repeating: [0x30, 0x80] as [UInt8], count: 100_000).flatMap(\.self)
        #expect(SignedFile.content(of: nested) == nil)
        #expect(!SignedFile.isEnvelope(Array("0 ".utf8)))
    }
}
