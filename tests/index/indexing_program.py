"""`python indexing_program.py ROOT JOB PROCESSES`: an indexer of DATABASE_URL, to be killed."""

import os
import sys
from pathlib import Path

from webstrata.db.engine import Database
from webstrata.index import pipeline, writing

if __name__ == "__main__":
    root, job_id, processes = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    writing.BATCH = 2
    pipeline.PART_BYTES = 4_000
    pipeline.SMALL_BYTES = 0 if processes else 10**12
    database = Database(os.environ["DATABASE_URL"])
    database.ping()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.exit(pipeline.index_job(job_id, database=database, archive_root=root, processes=processes or None))
