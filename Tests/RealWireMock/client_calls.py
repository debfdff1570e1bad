"""client_calls.py BINARY [--jar JAR]: makes every call of WireMock's Python client to `fingerpost stub`, and with --jar also to
the real server. Fails if a call fails that the real server answers. Needs the package wiremock 2.7.0. Called by run.sh."""

import argparse
import sys

import stub_servers
from wiremock.client import (
    GlobalSetting, GlobalSettings, HttpMethods, Mapping, MappingRequest, MappingResponse, Mappings, NearMisses,
    NearMissMatchPatternRequest, NearMissMatchRequest, Requests, Scenarios,
)
from wiremock.constants import Config

#: The real 2.35.1 answers this call with an empty body, and the client wants JSON.
FAILING_ON_THE_REAL_SERVER = {"update_global_settings"}


def calls(server):
    """Yields the name of each call, and a function that makes it and returns whether the answer is right."""
    made = {}
    pattern = NearMissMatchPatternRequest(url="/hello", method="GET")

    def create():
        request = MappingRequest(method=HttpMethods.GET, url="/hello")
        made["mapping"] = Mappings.create_mapping(
            Mapping(priority=1, request=request, response=MappingResponse(status=200, body="hi"), persistent=False, metadata={"a": 1})
        )
        answers = [server.call("GET", path)[0] for path in ("/hello", "/nothing")]
        return bool(made["mapping"].id) and answers == [200, 404]

    def update():
        made["mapping"].priority = 2
        return Mappings.update_mapping(made["mapping"]).priority == 2

    def one_request():
        request = server.admin("GET", "requests")["requests"][0]
        return Requests.get_request(request["id"]).id == request["id"]

    yield "create_mapping", create
    yield "retrieve_all_mappings", lambda: Mappings.retrieve_all_mappings().meta.total == 1
    yield "retrieve_mapping", lambda: Mappings.retrieve_mapping(made["mapping"]).id == made["mapping"].id
    yield "update_mapping", update
    yield "persist_mappings", lambda: Mappings.persist_mappings().status_code == 200
    yield "get_all_received_requests", lambda: len(Requests.get_all_received_requests().requests) == 2
    yield "get_matching_request_count", lambda: Requests.get_matching_request_count(pattern).count == 1
    yield "get_matching_requests", lambda: len(Requests.get_matching_requests(pattern).requests) == 1
    yield "get_unmatched_requests", lambda: len(Requests.get_unmatched_requests().requests) == 1
    yield "get_unmatched_requests_near_misses", lambda: len(Requests.get_unmatched_requests_near_misses().near_misses) == 1
    yield "get_request", one_request
    yield "find_nearest_misses_by_request", lambda: NearMisses.find_nearest_misses_by_request(
        NearMissMatchRequest(url="/hello", absolute_url=server.url + "/hello", method="GET")
    ) is not None
    yield "find_nearest_misses_by_request_pattern", lambda: len(
        NearMisses.find_nearest_misses_by_request_pattern(pattern).near_misses
    ) == 2
    yield "reset_request_journal", lambda: Requests.reset_request_journal().status_code == 200
    yield "reset_all_scenarios", lambda: Scenarios.reset_all_scenarios().status_code == 200
    yield "update_global_settings", lambda: GlobalSettings.update_global_settings(GlobalSetting(fixed_delay=1)) is not None
    yield "delete_mapping_by_metadata", lambda: Mappings.delete_mapping_by_metadata({"matchesJsonPath": "$.a"}).status_code == 200
    yield "reset_mappings", lambda: Mappings.reset_mappings().status_code == 200
    yield "delete_all_mappings", lambda: Mappings.delete_all_mappings().status_code == 200


def failures(server):
    Config.base_url = server.url + "/__admin"
    failed = {}
    count = 0
    for name, call in calls(server):
        count += 1
        try:
            if not call():
                failed[name] = "the answer has other content"
        except Exception as error:  # noqa: BLE001 - the client throws what it likes
            failed[name] = f"{type(error).__name__}: {str(error)[:200]}"
    print(f"{server.name}: {count - len(failed)} of {count} calls of the Python client pass")
    for name, reason in failed.items():
        print(f"  {name}: {reason}")
    return set(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--jar")
    options = parser.parse_args()
    with stub_servers.Scratch() as scratch:
        expected = FAILING_ON_THE_REAL_SERVER
        if options.jar:
            with stub_servers.wiremock(options.jar, scratch.folder("real")) as server:
                expected = failures(server)
        with stub_servers.fingerpost(options.binary, scratch.folder("own")) as server:
            worse = failures(server) - expected
    if worse:
        print(f"the real server answers these calls: {', '.join(sorted(worse))}", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
