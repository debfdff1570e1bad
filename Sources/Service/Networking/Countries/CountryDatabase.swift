import Synchronization

/// Looks up countries by address in an MMDB file: MaxMind's GeoLite2 and GeoIP2, DB-IP, IPinfo.
///
/// The file is memory-mapped once; to use a newer file, open another database. While the file is open, it may be
/// replaced by renaming another file to its name, but it must not be written to or truncated.
package final class CountryDatabase: Sendable {
    /// A lookup takes less than a microsecond, so contention on the lock is short.
    private let file: Mutex<CountryFile>

    /// A problem with the file, and how to solve it.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// Opens the file. Throws ``Failure`` if it cannot be read, is not an MMDB file, or contains no country.
    package init(_ path: String) throws(Failure) {
        let file = try CountryFile(path)
        guard file.holdsCountries() else {
            throw Failure(
                description:
                    "\(path) contains no countries (it is a '\(file.kind)' database), or is damaged; use a country database, such as GeoLite2-Country.mmdb."
            )
        }
        self.file = Mutex(file)
    }

    /// Returns the ISO 3166-1 alpha-2 code in upper case; nil if the file has none for the address.
    package func country(of address: NetworkAddress) -> String? {
        file.withLock { $0.country(of: address) }
    }
}
