import LinkRouting

extension String {
    /// The text as a finding shows it: whole up to 200 bytes, else its beginning and `…`.
    ///
    /// Many findings may name one long key. Their messages and pointers would otherwise be much longer than the file.
    var excerpt: String { shortened(toBytes: 200) }
}
