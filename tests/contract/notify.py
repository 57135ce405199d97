#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Notices over real sockets: a mail server of our own, chat services that write down what they get.
Usage: notify.py PAWL"""
import base64
import email
import email.header
import email.policy
import http.server
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import certificate  # noqa: E402
import documents  # noqa: E402
import sample_results  # noqa: E402

PAWL = sys.argv[1] if len(sys.argv) > 1 else "pawl"
DATA = sample_results.folder()
PASSWORD = "correct horse battery staple"

SUITE = """version: 1
gate: {between_runs: 1%}
operators: {relu: {sources: [relu.c]}}
kernels: {sdpa_cpu: {operator: relu, sources: [sdpa.c]}}
cases: {one: {operator: relu, n: 1, dtype: f32}}
notify:
"""


class Mail:
    """SMTP for one message after the other: RFC 5321, STARTTLS, AUTH PLAIN and LOGIN."""

    def __init__(self, context=None, tls_at_once=False, accept_recipients=True):
        self.context, self.tls_at_once, self.accept_recipients = context, tls_at_once, accept_recipients
        self.messages, self.log_ins, self.envelopes, self.encrypted = [], [], [], []
        self.clients = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            try:
                self.talk(client)
            except (OSError, ValueError):
                pass
            for socket_ in (client, *self.clients):
                socket_.close()

    def encrypt(self, client):
        self.clients.append(self.context.wrap_socket(client, server_side=True))
        return self.clients[-1]

    def talk(self, client):
        secure = False
        if self.tls_at_once:
            client, secure = self.encrypt(client), True
        lines = client.makefile("rb")
        envelope = []

        def say(text):
            client.sendall(text.encode() + b"\r\n")

        say("220 here")
        while line := lines.readline():
            verb = line.decode().strip()
            word = verb.upper()
            if word.startswith("EHLO"):
                offers = (["STARTTLS"] if self.context and not secure else []) + ["AUTH PLAIN LOGIN", "8BITMIME"]
                for offer in offers:
                    say("250-" + offer)
                say("250 SIZE 1000000")
            elif word == "STARTTLS":
                say("220 go")
                client, secure = self.encrypt(client), True
                lines = client.makefile("rb")
            elif word.startswith("AUTH PLAIN"):
                text = verb[11:]
                if not text:
                    say("334 ")
                    text = lines.readline().decode().strip()
                self.log_ins.append(base64.b64decode(text).split(b"\0")[1:])
                good = self.log_ins[-1][1].decode() == PASSWORD
                say("235 good" if good else "535 bad")
            elif word.startswith(("MAIL FROM", "RCPT TO")):
                envelope.append(verb)
                say("250 ok" if self.accept_recipients or word.startswith("MAIL") else "550 nobody")
            elif word == "DATA":
                say("354 go on")
                text = b""
                while (line := lines.readline()) != b".\r\n":
                    text += line[1:] if line.startswith(b".") else line
                self.messages.append(text)
                self.envelopes.append(envelope)
                self.encrypted.append(secure)
                envelope = []
                say("250 kept")
            elif word == "QUIT":
                say("221 bye")
                return
            else:
                say("250 ok")


class Chat(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Note)
        self.notes, self.status, self.answer = [], 200, b""
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Note(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.notes.append((self.path, self.headers["Content-Type"], json.loads(body)))
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(self.server.answer)))
        self.end_headers()
        self.wfile.write(self.server.answer)

    def log_message(self, *_):
        pass


class Notices(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pawl-notify-")
        self.path = pathlib.Path(self.folder.name)
        self.chat = Chat()
        self.mails = []
        self.variables = {"CHAT": f"http://127.0.0.1:{self.chat.server_port}/hook/secret-path", "PASS": PASSWORD}

    def tearDown(self):
        self.chat.shutdown()
        self.chat.server_close()
        for mail in self.mails:
            mail.socket.close()
        self.folder.cleanup()

    def mail(self, **options):
        self.mails.append(Mail(**options))
        return self.mails[-1]

    def suite(self, *lines):
        (self.path / "pawl.yaml").write_text(SUITE + "".join(f"  {line}\n" for line in lines))

    def mail_line(self, mail, scheme="smtp", rest=""):
        return (f'email: {{server: "{scheme}://127.0.0.1:{mail.port}", from: perf@example.org, '
                f'to: [a@example.org, b@example.net]{rest}}}')

    def pawl(self, *words):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GITHUB_")}
        return subprocess.run([PAWL, "-C", str(self.path), *map(str, words)], capture_output=True, text=True,
                              env={**environment, **self.variables}, timeout=60)

    def notify(self, source, *words, status=0):
        done = self.pawl("notify", source, *words)
        self.assertEqual(done.returncode, status, done.stderr)
        for secret in (PASSWORD, "secret-path"):
            self.assertNotIn(secret, done.stderr + done.stdout)
        return done

    def test_it_tells_when_the_verdict_turns_and_not_again(self):
        self.suite("webhooks: {a: {service: json, url: {env: CHAT}}}")
        for source, count in (("base", 0), ("crashed", 1), ("crashed", 1), ("base", 2), ("base", 2), ("crashed", 3)):
            self.notify(DATA / f"{source}.json")
            self.assertEqual(len(self.chat.notes), count, source)
        self.assertEqual([note["failed"] for _, _, note in self.chat.notes], [True, False, True])
        self.notify(DATA / "crashed.json", "--always")
        self.assertEqual(len(self.chat.notes), 4)
        self.notify(DATA / "crashed.json", "--subject", "another branch")
        self.assertEqual(len(self.chat.notes), 5)

    def test_a_verdict_and_its_first_lines_and_link(self):
        self.suite("link: https://example.org/reports", "webhooks: {a: {service: json, url: {env: CHAT}}}")
        self.pawl("ratchet", DATA / "base.json", "--update")
        out = self.path / "out"
        out.mkdir()
        (out / "verdict.json").write_text(self.pawl("--json", "ratchet", DATA / "slower.json").stdout)
        shutil.copy(DATA / "slower.json", out / "results.json")
        self.notify(out / "verdict.json", "--subject", "main")
        path, content_type, note = self.chat.notes[0]
        self.assertEqual((path, content_type), ("/hook/secret-path", "application/json"))
        self.assertEqual(documents.faults(note, "notice"), [])
        self.assertEqual((note["verdict"], note["failed"], note["subject"]), ("regression", True, "main"))
        self.assertRegex(note["title"], r"^pawl: main: regression: \S+ on \S+ \d+\.?\d* % slower and 1 more$")
        self.assertTrue(note["excerpt"].startswith("REGRESSION (unpaired): 2 of 2 configurations slower"))
        self.assertNotIn("|", note["excerpt"])
        self.assertEqual(note["link"], "https://example.org/reports")

    def test_a_mail_leads_to_the_commits_that_lost(self):
        self.suite('email: {server: "smtp://127.0.0.1:1", from: perf@example.org, to: [a@example.org]}')
        now = int(time.time())
        runs = [{"schema_version": 1, "id": f"{i:032x}", "source": "run", "time": now - (100 - i) * 3600, "commit": f"{0xc0de0000 + i:08x}", "baseline_moves": [],
                 "points": [{"kernel_name": name, "case": "tiny", "unit": "ms", "value": (2.4 if i >= 20 else 2) * (1 + 0.001 * (i * 7 % 5))} for name in ("scale", "copy")]} for i in range(40)]
        (self.path / "runs.ndjson").write_text("".join(json.dumps(run) + "\n" for run in runs))
        for words in (["git", "init", "-q"], ["git", "remote", "add", "origin", "git@codeberg.org:octo/app.git"]):
            subprocess.run(words, cwd=self.path, check=True)
        self.assertEqual(self.pawl("history", "import", self.path / "runs.ndjson").returncode, 0)
        self.assertEqual(self.pawl("history", "note", "c0de0014", "expected", "copy").returncode, 0)
        done = self.notify(DATA / "crashed.json", "--dry-run")
        text = email.message_from_string(json.loads(done.stdout)["email"], policy=email.policy.default).get_content()
        self.assertIn("Losses of the last 30 days that nobody has explained:\n- scale on tiny: 20.0 % slower at c0de0014 (new)\n"
                      "  https://codeberg.org/octo/app/commit/c0de0014\n", text)
        self.assertNotIn("copy", text)

    def test_each_service_s_own_shape_and_escapes(self):
        self.suite("webhooks:", *(f"  {s}: {{service: {s}, url: {{env: CHAT}}}}" for s in ("slack", "discord", "teams")))
        hostile = "x <!channel> @everyone [a](https://evil) ``` &amp; *b*\r\nX: y\u202e"
        self.notify(DATA / "crashed.json", "--subject", hostile)
        slack, discord, teams = (note for _, _, note in self.chat.notes)
        text = slack["blocks"][0]["text"]["text"]
        self.assertNotIn("<!channel>", text)
        self.assertIn("&lt;!channel&gt; @everyone", text)
        self.assertEqual(text.count("```"), 2)
        self.assertLessEqual(len(text), 3000)
        self.assertEqual(discord["allowed_mentions"], {"parse": []})
        self.assertLessEqual(len(discord["content"]), 2000)
        self.assertEqual(discord["content"].count("```"), 2)
        self.assertIn("\\[a\\]\\(https", discord["content"])
        card = teams["attachments"][0]
        self.assertEqual(card["contentType"], "application/vnd.microsoft.card.adaptive")
        self.assertEqual(card["content"]["type"], "AdaptiveCard")
        self.assertIn("\\[a\\]\\(https", card["content"]["body"][0]["text"])
        for note in (text, discord["content"], card["content"]["body"][0]["text"]):
            self.assertNotIn("\u202e", note)
            self.assertNotIn("\r", note)

    def test_slack_s_limit_holds_for_text_that_grows(self):
        self.suite("webhooks: {s: {service: slack, url: {env: CHAT}}}")
        document = json.loads((DATA / "crashed.json").read_text())
        rows = document["results"]
        for row in rows:
            row["reason"] = "&<>" * 500
        document["hardware_name"] = "&" * 1200
        (self.path / "results.json").write_text(json.dumps(document))
        self.notify(self.path / "results.json", "--link", "https://example.org/" + "a&" * 400)
        text = self.chat.notes[0][2]["blocks"][0]["text"]["text"]
        self.assertLessEqual(len(text), 3000)
        self.assertEqual(text.count("```"), 2)

    def test_a_mail_is_whole_and_nothing_can_be_put_into_its_header(self):
        mail = self.mail()
        self.suite(self.mail_line(mail))
        subject = "main\r\nBcc: victim@example.org\r\n\r\nbody =?utf-8?Q?x?= é" + "ü" * 40
        self.notify(DATA / "crashed.json", "--subject", subject, "--link", "https://example.org/r?a=b")
        raw = mail.messages[0]
        message = email.message_from_bytes(raw, policy=email.policy.default)
        self.assertEqual(sorted(message.keys()),
                         sorted(["Date", "Message-ID", "From", "To", "Subject", "Auto-Submitted", "MIME-Version",
                                 "Content-Type", "Content-Transfer-Encoding"]))
        self.assertTrue(message["Subject"].startswith("pawl: main"))
        self.assertIn("é", message["Subject"])
        self.assertEqual([address.addr_spec for address in message["To"].addresses], ["a@example.org", "b@example.net"])
        self.assertIn("https://example.org/r?a=b", message.get_content())
        self.assertTrue(all(len(line) <= 78 for line in raw.split(b"\r\n")))
        self.assertTrue(raw.isascii())
        envelope = mail.envelopes[0]
        self.assertTrue(envelope[0].startswith("MAIL FROM:<perf@example.org>"))
        self.assertEqual([line.split()[1] for line in envelope[1:]], ["TO:<a@example.org>", "TO:<b@example.net>"])

    def test_tls_at_once_and_by_starttls_with_a_log_in(self):
        context, file = certificate.make(self.path)
        for scheme, mail in (("smtps", self.mail(context=context, tls_at_once=True)),
                             ("smtp", self.mail(context=context))):
            self.suite(self.mail_line(mail, scheme, ", user: perf, password: {env: PASS}"))
            self.notify(DATA / "crashed.json", "--always", status=77)  # pawl does not know the certificate
            self.assertEqual(mail.messages, [])
            self.variables["SSL_CERT_FILE"] = str(file)
            self.notify(DATA / "crashed.json", "--always")
            self.assertEqual(mail.encrypted, [True])
            self.assertEqual(mail.log_ins, [[b"perf", PASSWORD.encode()]])
            del self.variables["SSL_CERT_FILE"]
            self.notify(DATA / "crashed.json", "--always", "--ca-file", file)
            self.assertEqual(mail.encrypted, [True, True])

    def test_a_chat_service_with_an_authority_of_its_own(self):
        context, file = certificate.make(self.path)
        self.chat.socket = context.wrap_socket(self.chat.socket, server_side=True)
        self.variables["CHAT"] = self.variables["CHAT"].replace("http:", "https:")
        self.suite("webhooks: {a: {service: json, url: {env: CHAT}}}")
        done = self.pawl("notify", DATA / "crashed.json")
        self.assertIn("webhook a: its server: no connection: the server's certificate is not trusted", done.stderr)
        self.assertNotIn("secret-path", done.stderr)
        self.assertEqual(self.chat.notes, [])
        self.notify(DATA / "crashed.json", "--ca-file", file)
        self.assertEqual(len(self.chat.notes), 1)

    def test_a_certificate_of_another_name_and_a_closed_port(self):
        context, file = certificate.make(self.path)
        self.chat.socket = context.wrap_socket(self.chat.socket, server_side=True)
        self.suite("webhooks: {a: {service: json, url: {env: CHAT}}}")
        self.variables["CHAT"] = f"https://localhost:{self.chat.server_port}/hook/secret-path"
        done = self.pawl("notify", DATA / "crashed.json", "--ca-file", file)
        self.assertRegex(done.stderr, "no connection: the server's certificate is for another name")
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            self.variables["CHAT"] = f"http://127.0.0.1:{closed.getsockname()[1]}/hook/secret-path"
            done = self.notify(DATA / "crashed.json", status=69)
        self.assertRegex(done.stderr, "(?i)webhook a: its server: no connection: .*connect")
        self.assertNotIn("secret-path", done.stderr)

    def test_a_mail_server_of_another_name_or_with_an_old_certificate(self):
        for name, made, words in (("localhost", {}, "is for another name"),
                                  ("127.0.0.1", {"expired": True}, "has expired")):
            context, file = certificate.make(self.path, **made)
            mail = self.mail(context=context, tls_at_once=True)
            self.suite(self.mail_line(mail, "smtps").replace("127.0.0.1", name))
            done = self.notify(DATA / "crashed.json", "--ca-file", file, status=77)
            self.assertIn(f"'smtps://{name}:{mail.port}': the server's certificate {words}", done.stderr)
            done = self.notify(DATA / "crashed.json", status=77)
            self.assertRegex(done.stderr, "the server's certificate (is not trusted|has expired)")
            self.assertEqual(mail.messages, [])

    def test_a_page_is_no_answer_of_a_chat_service(self):
        self.suite("webhooks: {a: {service: slack, url: {env: CHAT}}}")
        self.chat.answer = b" \n<!DOCTYPE html><title>Log in</title>"
        self.assertIn("a page answered, not a chat service", self.notify(DATA / "crashed.json", status=76).stderr)
        self.chat.answer = b"ok"
        self.notify(DATA / "crashed.json")

    def test_a_log_in_that_is_refused_is_told(self):
        mail = self.mail()
        self.suite(self.mail_line(mail, rest=", user: perf, password: {env: WRONG}"))
        self.variables["WRONG"] = "wrong-password"
        done = self.notify(DATA / "crashed.json", status=77)
        self.assertNotIn("wrong-password", done.stderr)
        del self.variables["WRONG"]
        self.assertIn("'WRONG' is missing", self.notify(DATA / "crashed.json", status=66).stderr)
        refusing = self.mail(accept_recipients=False)
        self.suite(self.mail_line(refusing))
        self.assertIn("550", self.notify(DATA / "crashed.json", status=76).stderr)

    def test_who_was_not_reached_is_told_the_next_time(self):
        mail = self.mail()
        self.suite(self.mail_line(mail), "webhooks: {a: {service: json, url: {env: CHAT}}}")
        self.chat.status = 404
        done = self.notify(DATA / "crashed.json", status=76)
        self.assertIn("webhook a: it answered 404", done.stderr)
        self.assertEqual((len(mail.messages), len(self.chat.notes)), (1, 1))
        self.chat.status = 204
        self.notify(DATA / "crashed.json")
        self.assertEqual((len(mail.messages), len(self.chat.notes)), (1, 2))

    def test_addresses_that_are_not_safe_are_refused(self):
        self.suite("webhooks: {a: {service: json, url: {env: CHAT}}}")
        for url in ("http://example.org/x", "http://127.0.0.1:80@example.org/x", "file:///etc/passwd", "gopher://x"):
            self.variables["CHAT"] = url
            self.assertIn("https", self.notify(DATA / "crashed.json", status=64).stderr)
        for link in ("javascript:alert(1)", "https://a/\"><b>", "https://a/ b", "http://a"):
            self.notify(DATA / "crashed.json", "--link", link, status=64)
        for line, words in (("email: {server: imap://x, from: a@b, to: [a@b]}", "smtps://"),
                            ("email: {server: 'smtp://x', from: \"a@b\\r\\nX: y\", to: [a@b]}", "an address"),
                            ("email: {server: 'smtp://x', from: a@b, to: ['a@b>, <c@d']}", "addresses"),
                            ("email: {server: 'smtp://x', from: a@b, to: [a@b], user: u}", "works only with 'password'"),
                            ("webhooks: {a: {service: irc, url: {env: X}}}", "slack, discord, teams or json"),
                            ("webhooks: {a: {service: slack, url: https://x}}", "the file must not contain secrets")):
            self.suite(line)
            self.assertIn(words, self.notify(DATA / "crashed.json", status=78).stderr)

    def test_a_dry_run_sends_nothing(self):
        self.suite("webhooks: {a: {service: slack, url: {env: CHAT}}}")
        document = json.loads(self.notify(DATA / "crashed.json", "--dry-run").stdout)
        self.assertEqual(list(document), ["a"])
        self.assertEqual(self.chat.notes, [])
        self.assertFalse((self.path / ".pawl/notify.json").exists())
        self.suite("link: https://example.org")
        self.assertIn("nobody to notify", self.notify(DATA / "crashed.json", status=64).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
