import Networking
import Testing

struct AddressTests {
    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "169.254.169.254", "172.16.0.1",
        "172.31.255.255", "192.0.0.170", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7",
        "203.0.113.9", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::7f00:1",
        "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:a00:1::",
        "2002:7f00:1::1", "3fff::1", "fc00::1", "fd12:3456::1", "fe80::1%eth0", "fec0::1", "ff02::1",
    ])
    func specialAddressIsNotPublic(text: String) throws {
        #expect(try #require(NetworkAddress(text)).isPublic == false)
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:1.1.1.1", "64:ff9b::101:101",
        "2606:4700:4700::1111", "2002:101:101::1", "2a00:1450:4001::1", "2001:4860:4860::8888",
    ])
    func otherAddressIsPublic(text: String) throws {
        #expect(try #require(NetworkAddress(text)).isPublic)
    }

    @Test func rangeHoldsItsAddressesOnly() throws {
        for (range, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"), ("192.168.4.0/22", "192.168.7.255", "192.168.8.0"),
            ("127.0.0.1", "127.0.0.1", "127.0.0.2"), ("0.0.0.0/0", "8.8.8.8", "::1"),
            ("fd00::/8", "fdff::1", "fe00::1"),
            ("2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::1"), ("::1/128", "::1", "::2"),
            ("10.9.9.9/8", "10.0.0.1", "11.9.9.9"), ("::ffff:10.0.0.0/104", "10.255.0.1", "11.0.0.0"),
            ("10.0.0.0/8", "::ffff:10.0.0.1", "::ffff:11.0.0.1"), ("::ffff:7f00:1", "127.0.0.1", "::ffff:7f00:2"),
        ] {
            let range = try #require(AddressRange(range))
            #expect(range.contains(try #require(NetworkAddress(inside))))
            #expect(!range.contains(try #require(NetworkAddress(outside))))
        }
        for wrong in [
            "", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0/8", "host/8", "::/129", "1.1.1.1/8/8", "10.0.0.0/+8",
            "10.0.0.0/08", "10.0.0.0/8 ", " 10.0.0.0/8", "10.0.0.0/1000", "fe80::%eth0/10", "::ffff:10.0.0.0/95",
            "0x7f.0.0.1/8", "010.0.0.0/8", "2130706433", "10.0.0.0/８", "/8",
        ] {
            #expect(AddressRange(wrong) == nil, "\(wrong)")
        }
    }

    @Test func rangeIsWrittenInCanonicalForm() {
        for (text, canonical) in [
            ("10.1.2.3/8", "10.0.0.0/8"), ("10.1.2.3", "10.1.2.3/32"), ("2001:DB8:FFFF::1/33", "2001:db8:8000::/33"),
            ("::ffff:10.1.2.3/104", "10.0.0.0/8"), ("0.0.0.0/0", "0.0.0.0/0"),
        ] {
            #expect(AddressRange(text)?.description == canonical)
            #expect(AddressRange(text) == AddressRange(canonical))
        }
    }

    @Test func addressIsWrittenInItsShortForm() {
        for (text, short) in [
            ("127.0.0.1", "127.0.0.1"), ("::ffff:10.0.0.1", "10.0.0.1"), ("2001:0DB8:0:0::1", "2001:db8::1"),
        ] {
            #expect(NetworkAddress(text)?.text == short)
        }
        for wrong in ["", "1.2.3", "1.2.3.256", "host", "::g", "1.2.3.4 "] {
            #expect(NetworkAddress(wrong) == nil, "\(wrong)")
        }
        #expect(NetworkAddress(bytes: [1, 2, 3]) == nil)
    }
}
