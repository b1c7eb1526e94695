"""The viewer: replay in the browser on a host name of its own, the closest snapshot, calendars."""
