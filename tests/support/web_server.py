"""A web server for a folder, with ranges and listings as nginx gives them, that counts what it hands out and can fail."""

import html
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote


@dataclass
class Web:
    """What the server does, and what it has done."""

    folder: Path
    port: int = 0
    sent: dict[str, int] = field(default_factory=dict)  # bytes of bodies by path
    ranges: bool = True
    cut_after: int | None = None  # bytes of a body before the connection breaks
    refuses: int | None = None  # a status for every request

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def serving(folder: Path) -> Iterator[Web]:
    """Serve `folder` while the block runs."""
    web = Web(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(web))
    server.daemon_threads = True
    web.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(web: Web) -> type[BaseHTTPRequestHandler]:
    return type("Handler", (_Handler,), {"web": web})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    web: Web

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        path = self.web.folder / unquote(self.path.partition("?")[0]).lstrip("/")
        if self.web.refuses or not path.exists():
            self._send(self.web.refuses or 404, b"", {}, body)
        elif path.is_dir():
            names = (child.name + ("/" if child.is_dir() else "") for child in sorted(path.iterdir()))
            page = "".join(f'<a href="{quote(name)}">{html.escape(name)}</a>\n' for name in ("../", *names))
            self._send(200, page.encode(), {"Content-Type": "text/html"}, body)
        else:
            self._file(path, body)

    def _file(self, path: Path, body: bool) -> None:
        status = path.stat()
        size, headers = status.st_size, {"ETag": f'"{status.st_mtime_ns:x}-{status.st_size:x}"'}
        asked = self.headers.get("Range")
        if self.web.ranges:
            headers["Accept-Ranges"] = "bytes"
        if asked is None or not self.web.ranges:
            self._send(200, path.read_bytes(), headers, body)
            return
        first, _, last = asked.removeprefix("bytes=").partition("-")
        start, stop = int(first), min(int(last or size - 1) + 1, size)
        with path.open("rb") as file:
            file.seek(start)
            part = file.read(stop - start)
        self._send(206, part, {**headers, "Content-Range": f"bytes {start}-{stop - 1}/{size}"}, body)

    def _send(self, status: int, data: bytes, headers: dict[str, str], body: bool) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/octet-stream", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            cut = data if self.web.cut_after is None else data[:self.web.cut_after]
            self.wfile.write(cut)
            key = unquote(self.path.lstrip("/"))
            self.web.sent[key] = self.web.sent.get(key, 0) + len(cut)
            self.close_connection = len(cut) < len(data)
