import LinkClient
import Testing
