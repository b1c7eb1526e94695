"""The web pages: plain HTML that works without JavaScript, one module per page."""
