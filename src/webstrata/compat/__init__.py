"""Names and arguments of the HealthArchive backend, for scripts that were written for it; docs/compat.md lists them.

Each name is one of ours under its old name, or a thin function around it. Functions that need an archive read the
settings from the environment when they are called.
"""

from webstrata.compat.configuration import ArchiveToolConfig, DatabaseConfig, get_session
from webstrata.compat.indexing import find_record_for_snapshot, index_job, record_to_snapshot
from webstrata.compat.jobs import (
    RuntimeArchiveJob,
    _process_single_job,
    _select_next_crawl_job,
    create_job_for_source,
    run_persistent_job,
    run_worker_loop,
    update_job_stats_from_logs,
)
from webstrata.content.html import extract_text, extract_title, make_snippet
from webstrata.content.language import detect_language
from webstrata.db.schema.base import Base
from webstrata.db.schema.tables import ArchiveJob, Snapshot, Source
from webstrata.jobs.folders.cleanup import cleanup_temp_dirs
from webstrata.model.jobs.attempts import MAX_CRAWL_RETRIES
from webstrata.model.jobs.job import ArchiveJobConfig
from webstrata.model.jobs.registry import SourceJobConfig, build_job_config, build_output_dir_for_job, generate_job_name
from webstrata.model.jobs.tool_options import ArchiveToolOptions, validate_tool_options
from webstrata.storage.combined_log import parse_last_stats_from_log
from webstrata.storage.crawl_state import CrawlState
from webstrata.warc.discovery import discover_warcs_for_job, find_all_warc_files, find_latest_temp_dir_fallback
from webstrata.warc.reader import ArchiveRecord, iter_html_records

__all__ = [
    "MAX_CRAWL_RETRIES",
    "ArchiveJob",
    "ArchiveJobConfig",
    "ArchiveRecord",
    "ArchiveToolConfig",
    "ArchiveToolOptions",
    "Base",
    "CrawlState",
    "DatabaseConfig",
    "RuntimeArchiveJob",
    "Snapshot",
    "Source",
    "SourceJobConfig",
    "_process_single_job",
    "_select_next_crawl_job",
    "build_job_config",
    "build_output_dir_for_job",
    "cleanup_temp_dirs",
    "create_job_for_source",
    "detect_language",
    "discover_warcs_for_job",
    "extract_text",
    "extract_title",
    "find_all_warc_files",
    "find_latest_temp_dir_fallback",
    "find_record_for_snapshot",
    "generate_job_name",
    "get_session",
    "index_job",
    "iter_html_records",
    "make_snippet",
    "parse_last_stats_from_log",
    "record_to_snapshot",
    "run_persistent_job",
    "run_worker_loop",
    "update_job_stats_from_logs",
    "validate_tool_options",
]
