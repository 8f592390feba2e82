"""Speaks TLS as a PostgreSQL server does and passes everything on: `python tls_proxy.py CERTIFICATE KEY SOCKET`. Prints its port."""

import socket
import ssl
import sys
import threading

SSL_REQUEST = bytes([0, 0, 0, 8, 4, 210, 22, 47])

certificate, key, database = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for each in (source, target):
        try:
            each.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(client):
    try:
        if client.recv(8) != SSL_REQUEST:
            client.close()
            return
        client.sendall(b"S")
        client = context.wrap_socket(client, server_side=True)
        server = socket.socket(socket.AF_UNIX)
        server.connect(database)
    except OSError:
        client.close()
        return
    threading.Thread(target=copy, args=(client, server), daemon=True).start()
    copy(server, client)


listener = socket.create_server(("0.0.0.0", 0))
print(listener.getsockname()[1], flush=True)
while True:
    accepted, _ = listener.accept()
    threading.Thread(target=serve, args=(accepted,), daemon=True).start()
