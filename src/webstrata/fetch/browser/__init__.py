"""Pages from the web as a browser shows them: Chromium whose every connection passes the network guard."""
