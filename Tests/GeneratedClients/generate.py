#!/usr/bin/env python3
"""generate.py FINGERPOST CLIENT_TOOLS MODEL_TOOLS: generates clients from /openapi.json of a running server, and calls it.

CLIENT_TOOLS and MODEL_TOOLS are virtual environments with openapi-python-client and datamodel-code-generator. The
generators must not print a warning. The generated client then edits, publishes and reads a tenant of the demo, and the
types of the answers are compared. This program runs with the Python of CLIENT_TOOLS, which has the client's packages.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

CONFIGURATION = Path(__file__).parent / "openapi-python-client.yaml"


class Server:
    """The demo on free ports."""

    def __init__(self, binary, data):
        self.process = subprocess.Popen(
            [binary, "serve", "--demo", "--data", data, "--public", "127.0.0.1:0", "--admin", "127.0.0.1:0",
             "--ops", "127.0.0.1:0"],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "FINGERPOST_LOG_LEVEL": "error"},
        )
        self.addresses, self.key = {}, None
        for line in self.process.stdout:
            words = line.split()
            if len(words) == 2 and words[1].startswith("http://"):
                self.addresses[words[0]] = words[1]
            if "KEY=" in line:
                self.key = line.split("KEY=")[1].strip()
                break
        if len(self.addresses) < 3:
            raise SystemExit("the server did not start")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(30) != 0:
            raise SystemExit(f"the server ended with {self.process.returncode}")


def silent(*command, tools):
    """Runs a generator; exits if it fails or prints a warning, except that it leaves out responses that are images."""
    environment = {**os.environ, "PATH": f"{tools}/bin:{os.environ['PATH']}"}
    run = subprocess.run([f"{tools}/bin/{command[0]}", *map(str, command[1:])], capture_output=True, text=True, env=environment)
    text = run.stdout + run.stderr
    others = text.lower().count("warning") - text.count("Warning(s) encountered") - text.count("content_type image/")
    if run.returncode or others:
        raise SystemExit(f"{command[0]}: {text[-4000:]}")


def generate(server, port, client_tools, model_tools, folder):
    document = folder / f"{port}.json"
    with urllib.request.urlopen(server.addresses[port] + "/openapi.json", timeout=10) as answer:
        document.write_bytes(answer.read())
    silent("openapi-python-client", "generate", "--path", document, "--meta", "none", "--config", CONFIGURATION,
           "--output-path", folder / f"{port}_client", tools=client_tools)
    silent("datamodel-codegen", "--input", document, "--input-file-type", "openapi", "--formatters", "builtin",
           "--output-model-type", "pydantic_v2.BaseModel", "--output", folder / f"{port}_models.py", tools=model_tools)
    silent("python", "-W", "error", folder / f"{port}_models.py", tools=model_tools)
    models = len(json.loads(document.read_text())["components"]["schemas"])
    print(f"{port} port: {models} schemas, no warnings")


def resolve(server):
    from public_client import Client
    from public_client.api.resolve import resolve
    from public_client.models import Context, Platform, Resolution, ResolveRequest

    client = Client(base_url=server.addresses["public"], raise_on_unexpected_status=True)
    request = ResolveRequest(url="yourapp://generated/7", context=Context(platform=Platform.IOS, app_version="3.1"))
    answer = resolve.sync(client=client, body=request)
    assert isinstance(answer, Resolution), answer
    return answer


def edit(server):
    """Publishes a route with the generated client of the admin port, and reads what has changed."""
    from admin_client import AuthenticatedClient
    from admin_client.api.analytics import get_totals, list_events
    from admin_client.api.drafts import publish_draft, put_route
    from admin_client.api.exports import export_now
    from admin_client.api.keys import create_key, get_key, list_keys, revoke_key
    from admin_client.api.revisions import get_table, list_revisions
    from admin_client.api.tenants import get_settings
    from admin_client.models import (
        Arguments, EndedKey, GetTotalsOutcome, Key, KeyRequest, ListKeysResponse200, ListRevisionsResponse200, Manifest, NewKey,
        Note, Open, Problem, Published, PutRouteResponse201, RouteContent, Scope, Table,
    )

    client = AuthenticatedClient(
        base_url=server.addresses["admin"], token=server.key, raise_on_unexpected_status=True
    )
    before = resolve(server)
    assert before.outcome == "fallback", before

    arguments = Arguments.from_dict({"id": "{id}"})
    route = RouteContent(path="/generated/{id:int}", owner="clients", open_=Open(screen="Generated", arguments=arguments))
    draft = put_route.sync("shop", "generated", client=client, body=route)
    assert isinstance(draft, PutRouteResponse201) and draft.findings == [], draft
    assert draft.draft == "main" and draft.base == 1, draft
    wrong = put_route.sync("shop", "wrong", client=client, body=RouteContent(path="generated"))
    assert isinstance(wrong, Problem) and wrong.code == "invalid_table" and wrong.findings[0].path.endswith(".path"), wrong

    published = publish_draft.sync("shop", client=client, body=Note(message="Generated"))
    assert isinstance(published, Published) and published.revision == 2, published
    assert [added.id for added in published.changes.added] == ["generated"], published
    revisions = list_revisions.sync("shop", client=client)
    assert isinstance(revisions, ListRevisionsResponse200), revisions
    assert [revision.revision for revision in revisions.revisions] == [2, 1], revisions
    assert revisions.revisions[0].message == "Generated" and revisions.next_cursor is None, revisions
    table = get_table.sync("shop", client=client)
    assert isinstance(table, Table) and table.routes[-1].open_.screen == "Generated", table
    settings = get_settings.sync("shop", client=client)
    assert settings.settings.apps[0].bundle_id == "com.example.yourapp", settings
    assert settings.settings.export.schedule == "daily", settings

    after = resolve(server)
    assert after.outcome == "matched" and after.action == "open_app" and after.recorded, after
    assert after.route.id == "generated" and after.parameters["id"] == 7, after
    assert after.destination.screen == "Generated" and after.destination.arguments["id"] == 7, after

    totals = get_totals.sync("shop", client=client, by="route", outcome=GetTotalsOutcome.MATCHED)
    assert totals.count == 1 and totals.totals[0].route == "generated", totals
    events = list_events.sync("shop", client=client, limit=1)
    assert events.events[0].route == "generated" and events.events[0].parameters["id"] == 7, events
    assert events.events[0].id == str(after.id) and events.events[0].app_version == "3.1", events

    key = create_key.sync(client=client, body=KeyRequest(name="Generated", tenant="shop", scopes=[Scope.TABLESREAD]))
    assert isinstance(key, NewKey) and key.key.startswith("fp_"), key
    keys = list_keys.sync(client=client)
    assert isinstance(keys, ListKeysResponse200) and key.id in [one.id for one in keys.keys], keys
    limited = AuthenticatedClient(base_url=server.addresses["admin"], token=key.key, raise_on_unexpected_status=True)
    refused = create_key.sync(client=limited, body=KeyRequest(name="No", scopes=[Scope.ADMIN]))
    assert isinstance(refused, Problem) and refused.code == "forbidden" and refused.status == 403, refused
    assert isinstance(revoke_key.sync(key.id, client=client), EndedKey)
    ended = get_key.sync(key.id, client=client)
    assert isinstance(ended, Key) and ended.revoked_at > ended.created_at, ended

    manifest = export_now.sync("shop", client=client)
    assert isinstance(manifest, Manifest) and manifest.rows == 2, manifest
    assert manifest.file.format_ == "ndjson" and manifest.window.last_seq >= 2, manifest
    print("resolved, edited, published, counted and exported with the generated clients")


def main(binary, client_tools, model_tools):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(binary, folder + "/data")
        try:
            for port in ["public", "admin"]:
                generate(server, port, client_tools, model_tools, Path(folder))
            sys.path.insert(0, folder)
            edit(server)
        finally:
            server.stop()


if len(sys.argv) != 4:
    sys.exit(__doc__)
main(*sys.argv[1:])
