package import OutboundHTTP
import Synchronization

/// Countries by address, from an MMDB file: MaxMind's GeoLite2 and GeoIP2, DB-IP, IPinfo.
///
/// The file is mapped into memory once; a newer one is another database. It may be replaced while it is open by renaming
/// another file to its name, but not be written to or cut.
package final class CountryDatabase: Sendable {
    /// A look-up takes less than a microsecond, so that nobody waits long for another one's.
    private let file: Mutex<CountryFile>

    /// What is wrong with the file, and what to do.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// Opens the file; it must hold at least one country.
    package init(_ path: String) throws(Failure) {
        let file = try CountryFile(path)
        guard file.holdsCountries() else {
            throw Failure(
                description:
                    "\(path) holds no countries (it is a '\(file.kind)' database), or is damaged; use one with countries, such as GeoLite2-Country.mmdb."
            )
        }
        self.file = Mutex(file)
    }

    /// ISO 3166-1 alpha-2, in capitals; nil where the file does not know.
    package func country(of address: NetworkAddress) -> String? {
        file.withLock { $0.country(of: address) }
    }
}
