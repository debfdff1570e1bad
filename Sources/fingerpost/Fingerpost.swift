import ArgumentParser
import Configuration
import UnixSignals

@main struct F: ParsableCommand {}
