import GRDB
import GRDBSQLite

enum Placeholder {}
