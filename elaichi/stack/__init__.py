"""The local stack: a database, a web server, a worker and a sandbox on one machine."""
