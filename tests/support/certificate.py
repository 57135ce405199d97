# SPDX-License-Identifier: Apache-2.0
"""A certificate of 127.0.0.1 that its own authority signed."""

import pathlib
import shutil
import ssl
import subprocess
import unittest


def make(folder, expired=False):
    """(the context of a server that has it, the file with the certificate)"""
    if not shutil.which("openssl"):
        raise unittest.SkipTest("no openssl to make a certificate with")
    key, file = pathlib.Path(folder) / "key.pem", pathlib.Path(folder) / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-keyout", key, "-out", file, "-days", "1", "-subj", "/CN=127.0.0.1", "-addext",
                    "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    if expired:
        subprocess.run(["openssl", "x509", "-in", file, "-signkey", key, "-days", "-1", "-out", file], check=True,
                       capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)
    return context, file
