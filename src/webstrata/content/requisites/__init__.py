"""Page requisites: what a browser loads to show a page, found in markup and style sheets."""
