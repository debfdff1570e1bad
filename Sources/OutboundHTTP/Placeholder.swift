import AsyncHTTPClient
import NIOCore

enum Placeholder {}
