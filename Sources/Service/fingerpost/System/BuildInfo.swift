/// The version of the program.
enum BuildInfo {
    static let version = "0.1.0"
}
