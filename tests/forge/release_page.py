# SPDX-License-Identifier: Apache-2.0
"""A release page on 127.0.0.1, over https, by a private authority."""

import contextlib
import http.server
import pathlib
import ssl
import subprocess
import threading


@contextlib.contextmanager
def release_page(folder, files):
    """Serves {name: bytes} below /releases. The address of that folder, and the certificate of the authority."""
    key, certificate = pathlib.Path(folder) / "key.pem", pathlib.Path(folder) / "ca.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                    "1", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
                    certificate], check=True, capture_output=True)

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            found = files.get(self.path.removeprefix("/releases/"))
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Length", str(len(found or b"")))
            self.end_headers()
            self.wfile.write(found or b"")

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"https://127.0.0.1:{server.server_port}/releases", str(certificate)
    finally:
        server.shutdown()
        server.server_close()
