"""The web pages: plain HTML that works without JavaScript, one module for each question a reader has."""
