"""Reading pages in processes with limits of memory and time."""
