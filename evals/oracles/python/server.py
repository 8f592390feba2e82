"""A language server of Python types (pyright), asked one question at a time."""

import json
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlparse


class Server:
    """Speaks the language server protocol over pipes."""

    def __init__(self, command, root, python):
        self.root = Path(root)
        self.python = python
        self.next = 0
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask("initialize", {
            "processId": None,
            "rootUri": self.root.as_uri(),
            "workspaceFolders": [{"uri": self.root.as_uri(), "name": "root"}],
            "capabilities": {"workspace": {"configuration": True}, "textDocument": {"hover": {"contentFormat": ["plaintext"]}}},
        })
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            raise SystemExit("the language server has ended")
        return json.loads(self.process.stdout.read(length))

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.next += 1
        number = self.next
        self.send({"id": number, "method": method, "params": params})
        while True:
            message = self.receive()
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": self.answer(message)})
            elif message.get("id") == number:
                return message.get("result")

    def answer(self, message):
        """What the server wants to know of its client."""
        if message["method"] != "workspace/configuration":
            return None
        analysis = {"diagnosticMode": "openFilesOnly", "useLibraryCodeForTypes": True, "typeCheckingMode": "off",
                    "autoSearchPaths": True}
        known = {"python": {"pythonPath": self.python, "analysis": analysis}, "python.analysis": analysis}
        return [known.get(item.get("section"), {}) for item in message["params"]["items"]]

    def open(self, path, text):
        uri = (self.root / path).as_uri()
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": text}})
        return uri

    def close(self, uri):
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def places(self, method, uri, line, column):
        """(file, line, column) of each answer, lines from 1, columns from 0 in UTF-16."""
        found = self.ask(f"textDocument/{method}", at(uri, line, column)) or []
        found = found if isinstance(found, list) else [found]
        out = []
        for item in found:
            area = item.get("targetSelectionRange") or item["range"]
            file = unquote(urlparse(item.get("targetUri") or item["uri"]).path)
            out.append((file, area["start"]["line"] + 1, area["start"]["character"]))
        return out

    def hover(self, uri, line, column):
        found = self.ask("textDocument/hover", at(uri, line, column))
        contents = (found or {}).get("contents") or ""
        return contents["value"] if isinstance(contents, dict) else str(contents)

    def stop(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.wait(10)


def at(uri, line, column):
    return {"textDocument": {"uri": uri}, "position": {"line": line - 1, "character": column}}
