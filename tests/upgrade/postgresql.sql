SELECT pg_catalog.set_config('search_path', '', false);

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);

CREATE TABLE public.archive_jobs (
    id integer NOT NULL,
    source_id integer,
    name text NOT NULL,
    output_dir text NOT NULL,
    status character varying(32) NOT NULL,
    status_reason text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    queued_at timestamp with time zone,
    not_before timestamp with time zone,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    retry_count integer NOT NULL,
    lease_owner text,
    lease_token text,
    lease_expires_at timestamp with time zone,
    config jsonb,
    crawler_exit_code integer,
    crawler_status text,
    crawler_stage text,
    last_stats_json jsonb,
    pages_crawled integer,
    pages_total integer,
    pages_failed integer,
    warc_file_count integer NOT NULL,
    indexed_page_count integer NOT NULL,
    warc_bytes_total bigint,
    output_bytes_total bigint,
    tmp_bytes_total bigint,
    tmp_non_warc_bytes_total bigint,
    storage_scanned_at timestamp with time zone,
    final_zim_path text,
    combined_log_path text,
    state_file_path text,
    cleanup_status character varying(32) NOT NULL,
    cleaned_at timestamp with time zone,
    stop_requested_at timestamp with time zone,
    helpers_welcome boolean DEFAULT false NOT NULL,
    responses_count integer DEFAULT 0 NOT NULL,
    response_bytes_total bigint DEFAULT '0'::bigint NOT NULL,
    sitemaps_read_at timestamp with time zone,
    index_lease_owner text,
    index_lease_token text,
    index_lease_expires_at timestamp with time zone,
    index_problem_count integer DEFAULT 0 NOT NULL,
    output_device text,
    pause_count integer DEFAULT 0 NOT NULL
);

CREATE SEQUENCE public.archive_jobs_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.archive_jobs_id_seq OWNED BY public.archive_jobs.id;

CREATE TABLE public.asset_blobs (
    digest character varying(64) NOT NULL,
    size bigint NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.asset_versions (
    id bigint NOT NULL,
    asset_id bigint NOT NULL,
    version integer NOT NULL,
    checksum text NOT NULL,
    job_id integer,
    capture_id bigint,
    captured_at timestamp with time zone NOT NULL,
    normalized_path text NOT NULL,
    blob_digest character varying(64) NOT NULL,
    tags jsonb NOT NULL,
    metadata jsonb NOT NULL
);

CREATE SEQUENCE public.asset_versions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.asset_versions_id_seq OWNED BY public.asset_versions.id;

CREATE TABLE public.assets (
    id bigint NOT NULL,
    source_id integer NOT NULL,
    plugin character varying(64) NOT NULL,
    identifier text NOT NULL,
    asset_type character varying(64) NOT NULL,
    source_url text NOT NULL,
    state character varying(16) NOT NULL,
    version integer NOT NULL,
    checksum text NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    last_seen_url text NOT NULL,
    last_seen_job_id integer,
    missing_since timestamp with time zone
);

CREATE SEQUENCE public.assets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.assets_id_seq OWNED BY public.assets.id;

CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    details jsonb,
    request_id text,
    client text
);

CREATE SEQUENCE public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.audit_log_id_seq OWNED BY public.audit_log.id;

CREATE TABLE public.captures (
    id bigint NOT NULL,
    job_id integer NOT NULL,
    source_id integer NOT NULL,
    warc_file_id integer NOT NULL,
    warc_offset bigint NOT NULL,
    warc_length bigint NOT NULL,
    warc_record_id text NOT NULL,
    record_type character varying(16) NOT NULL,
    url text NOT NULL,
    url_key text NOT NULL,
    capture_timestamp timestamp with time zone NOT NULL,
    status_code integer,
    mime_type text,
    payload_digest text,
    refers_to text,
    etag text,
    last_modified text
);

CREATE SEQUENCE public.captures_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.captures_id_seq OWNED BY public.captures.id;

CREATE TABLE public.crawl_reports (
    job_id integer NOT NULL,
    owner text NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    report jsonb NOT NULL
);

CREATE TABLE public.crawl_tasks (
    id bigint NOT NULL,
    job_id integer NOT NULL,
    url text NOT NULL,
    url_key character varying(32) NOT NULL,
    host text NOT NULL,
    depth integer NOT NULL,
    task_type character varying(16) NOT NULL,
    status character varying(16) NOT NULL,
    priority integer NOT NULL,
    attempt_count integer NOT NULL,
    reclaim_count integer NOT NULL,
    last_error text,
    lease_owner text,
    lease_token text,
    lease_expires_at timestamp with time zone,
    next_run_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE SEQUENCE public.crawl_tasks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.crawl_tasks_id_seq OWNED BY public.crawl_tasks.id;

CREATE TABLE public.document_words (
    document_id bigint NOT NULL,
    words tsvector NOT NULL
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY public.document_words ALTER COLUMN words SET STORAGE MAIN;

CREATE TABLE public.documents (
    id bigint NOT NULL,
    normalized_url_group text NOT NULL,
    text_hash character varying(32) NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    search_vector tsvector NOT NULL,
    blocks text,
    fingerprint bigint
)
WITH (toast_tuple_target='128');

CREATE SEQUENCE public.documents_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.documents_id_seq OWNED BY public.documents.id;

CREATE TABLE public.host_permits (
    host text NOT NULL,
    slot integer NOT NULL,
    owner text NOT NULL,
    token text,
    free_at timestamp with time zone NOT NULL
);

CREATE TABLE public.issue_reports (
    id integer NOT NULL,
    category character varying(32) NOT NULL,
    description text NOT NULL,
    snapshot_id bigint,
    original_url text,
    reporter_email text,
    page_url text,
    status character varying(32) DEFAULT 'new'::character varying NOT NULL,
    internal_notes text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE SEQUENCE public.issue_reports_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.issue_reports_id_seq OWNED BY public.issue_reports.id;

CREATE TABLE public.operation_counts (
    name character varying(64) NOT NULL,
    count bigint NOT NULL
);

CREATE TABLE public.page_signals (
    id bigint NOT NULL,
    normalized_url_group text NOT NULL,
    snapshot_id bigint,
    inlink_count integer NOT NULL,
    outlink_count integer NOT NULL,
    pagerank double precision NOT NULL,
    rank_mass double precision NOT NULL,
    rank_residual double precision NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE SEQUENCE public.page_signals_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.page_signals_id_seq OWNED BY public.page_signals.id;

CREATE TABLE public.pages (
    id bigint NOT NULL,
    source_id integer NOT NULL,
    normalized_url_group text NOT NULL,
    first_capture_timestamp timestamp with time zone NOT NULL,
    last_capture_timestamp timestamp with time zone NOT NULL,
    snapshot_count integer NOT NULL,
    latest_snapshot_id bigint NOT NULL,
    latest_ok_snapshot_id bigint,
    latest_ok_timestamp timestamp with time zone
);

CREATE SEQUENCE public.pages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.pages_id_seq OWNED BY public.pages.id;

CREATE TABLE public.plugin_runs (
    capture_id bigint NOT NULL,
    plugin character varying(64) NOT NULL,
    plugin_version text,
    status character varying(16) NOT NULL,
    attempt_count integer NOT NULL,
    asset_count integer NOT NULL,
    error text,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE public.record_problems (
    id bigint NOT NULL,
    job_id integer NOT NULL,
    warc_file_id integer NOT NULL,
    warc_offset bigint NOT NULL,
    reason text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE SEQUENCE public.record_problems_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.record_problems_id_seq OWNED BY public.record_problems.id;

CREATE TABLE public.search_entries (
    snapshot_id bigint NOT NULL,
    document_id bigint NOT NULL,
    page_id bigint NOT NULL,
    source_id integer NOT NULL,
    captured_at timestamp with time zone NOT NULL,
    status_rank smallint NOT NULL,
    repeated smallint NOT NULL,
    url_cost smallint NOT NULL,
    language text,
    kind character varying(8) NOT NULL
);

CREATE TABLE public.snapshot_outlinks (
    snapshot_id bigint NOT NULL,
    target_id bigint NOT NULL
);

CREATE TABLE public.snapshots (
    id bigint NOT NULL,
    job_id integer,
    source_id integer,
    capture_id bigint,
    document_id bigint,
    url text NOT NULL,
    normalized_url_group text,
    capture_timestamp timestamp with time zone NOT NULL,
    mime_type text,
    status_code integer,
    title text,
    snippet text,
    language text,
    warc_path text NOT NULL,
    warc_record_id text,
    warc_offset bigint,
    warc_length bigint,
    raw_snapshot_path text,
    content_hash character varying(64),
    outlinks_from bigint
);

CREATE SEQUENCE public.snapshots_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.snapshots_id_seq OWNED BY public.snapshots.id;

CREATE TABLE public.source_totals (
    source_id integer NOT NULL,
    snapshot_count bigint NOT NULL,
    page_count bigint NOT NULL,
    first_capture_timestamp timestamp with time zone,
    last_capture_timestamp timestamp with time zone,
    latest_snapshot_id bigint,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE public.sources (
    id integer NOT NULL,
    code character varying(64) NOT NULL,
    name text NOT NULL,
    base_url text,
    description text,
    enabled boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    job_config jsonb,
    schedule text,
    schedule_paused boolean DEFAULT false NOT NULL,
    next_run_at timestamp with time zone,
    schedule_error text,
    page_parameters jsonb,
    group_version integer DEFAULT 1 NOT NULL
);

CREATE SEQUENCE public.sources_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.sources_id_seq OWNED BY public.sources.id;

CREATE TABLE public.usage_metrics (
    metric_date date NOT NULL,
    event character varying(64) NOT NULL,
    count bigint NOT NULL
);

CREATE TABLE public.vocabulary (
    id bigint NOT NULL,
    word character varying(40) NOT NULL
);

CREATE SEQUENCE public.vocabulary_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.vocabulary_id_seq OWNED BY public.vocabulary.id;

CREATE TABLE public.warc_files (
    id integer NOT NULL,
    job_id integer NOT NULL,
    path text NOT NULL,
    committed_bytes bigint NOT NULL,
    indexed_bytes bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    owner text,
    index_version integer DEFAULT 0 NOT NULL,
    problem_count integer DEFAULT 0 NOT NULL
);

CREATE SEQUENCE public.warc_files_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.warc_files_id_seq OWNED BY public.warc_files.id;

ALTER TABLE ONLY public.archive_jobs ALTER COLUMN id SET DEFAULT nextval('public.archive_jobs_id_seq'::regclass);

ALTER TABLE ONLY public.asset_versions ALTER COLUMN id SET DEFAULT nextval('public.asset_versions_id_seq'::regclass);

ALTER TABLE ONLY public.assets ALTER COLUMN id SET DEFAULT nextval('public.assets_id_seq'::regclass);

ALTER TABLE ONLY public.audit_log ALTER COLUMN id SET DEFAULT nextval('public.audit_log_id_seq'::regclass);

ALTER TABLE ONLY public.captures ALTER COLUMN id SET DEFAULT nextval('public.captures_id_seq'::regclass);

ALTER TABLE ONLY public.crawl_tasks ALTER COLUMN id SET DEFAULT nextval('public.crawl_tasks_id_seq'::regclass);

ALTER TABLE ONLY public.documents ALTER COLUMN id SET DEFAULT nextval('public.documents_id_seq'::regclass);

ALTER TABLE ONLY public.issue_reports ALTER COLUMN id SET DEFAULT nextval('public.issue_reports_id_seq'::regclass);

ALTER TABLE ONLY public.page_signals ALTER COLUMN id SET DEFAULT nextval('public.page_signals_id_seq'::regclass);

ALTER TABLE ONLY public.pages ALTER COLUMN id SET DEFAULT nextval('public.pages_id_seq'::regclass);

ALTER TABLE ONLY public.record_problems ALTER COLUMN id SET DEFAULT nextval('public.record_problems_id_seq'::regclass);

ALTER TABLE ONLY public.snapshots ALTER COLUMN id SET DEFAULT nextval('public.snapshots_id_seq'::regclass);

ALTER TABLE ONLY public.sources ALTER COLUMN id SET DEFAULT nextval('public.sources_id_seq'::regclass);

ALTER TABLE ONLY public.vocabulary ALTER COLUMN id SET DEFAULT nextval('public.vocabulary_id_seq'::regclass);

ALTER TABLE ONLY public.warc_files ALTER COLUMN id SET DEFAULT nextval('public.warc_files_id_seq'::regclass);

INSERT INTO public.alembic_version VALUES
	('0010');

INSERT INTO public.archive_jobs VALUES
	(1, 1, 'harbour-20260302', '@DATA@/archive/harbour/20260302T080000Z__harbour-20260302', 'indexed', NULL, '2026-03-02 08:00:00.736843+00', '2026-03-02 08:02:02.940542+00', '2026-03-02 08:00:00.729791+00', NULL, '2026-03-02 08:00:01.639018+00', '2026-03-02 08:00:20.003711+00', 0, NULL, NULL, NULL, '{"crawl": {"max_pages": 100}, "scope": {}, "seeds": ["http://harbour.example/"], "plugins": ["page", "media"], "tool_options": {"cleanup": false, "log_level": "INFO", "overwrite": false, "relax_perms": true, "initial_workers": 1, "enable_monitoring": false, "enable_vpn_rotation": false, "enable_adaptive_workers": false}, "zimit_passthrough_args": []}', 0, 'success', 'initial_crawl', '{"error": 0, "limit": {"hit": false, "max": 100}, "total": 17, "failed": 0, "crawled": 17, "pending": 0, "finished": 17, "in_progress": 0, "pendingPages": []}', 17, 17, 0, 1, 14, 26586, 39758, 0, 0, '2026-03-02 08:02:02.914132+00', NULL, '@DATA@/archive/harbour/20260302T080000Z__harbour-20260302/archive_initial_crawl_-_attempt_1_20260302_080002.combined.log', NULL, 'none', NULL, NULL, true, 17, 5254, '2026-03-02 08:00:03.59547+00', NULL, NULL, NULL, 0, 'fsid:0123456789abcdef', 0),
	(2, 3, 'observatory-20260303', '@DATA@/archive/observatory/20260303T100002Z__observatory-20260303', 'indexed', NULL, '2026-03-03 10:00:02.069053+00', '2026-03-03 10:00:11.20374+00', '2026-03-03 10:00:02.03321+00', NULL, '2026-03-03 10:00:02.098867+00', '2026-03-03 10:00:08.916038+00', 0, NULL, NULL, NULL, '{"crawl": {}, "scope": {}, "seeds": ["http://observatory.example/"], "plugins": null, "tool_options": {"cleanup": false, "log_level": "INFO", "overwrite": false, "relax_perms": true, "initial_workers": 1, "enable_monitoring": false, "enable_vpn_rotation": false, "enable_adaptive_workers": false}, "zimit_passthrough_args": []}', 0, 'success', 'initial_crawl', '{"error": 1, "limit": {"hit": false, "max": 10000}, "total": 6, "failed": 1, "crawled": 5, "pending": 0, "finished": 5, "in_progress": 0, "pendingPages": []}', 5, 6, 1, 1, 4, 7947, 15617, 0, 0, '2026-03-03 10:00:11.18487+00', NULL, '@DATA@/archive/observatory/20260303T100002Z__observatory-20260303/archive_initial_crawl_-_attempt_1_20260303_100003.combined.log', NULL, 'none', NULL, NULL, true, 5, 1365, '2026-03-03 10:00:04.759863+00', NULL, NULL, NULL, 0, 'fsid:0123456789abcdef', 0),
	(3, 1, 'harbour-20260601', '@DATA@/archive/harbour/20260601T080001Z__harbour-20260601', 'indexed', NULL, '2026-06-01 08:00:01.534139+00', '2026-06-01 08:02:01.889454+00', '2026-06-01 08:00:01.526776+00', NULL, '2026-06-01 08:00:02.014196+00', '2026-06-01 08:00:21.52773+00', 0, NULL, NULL, NULL, '{"crawl": {"max_pages": 100}, "scope": {}, "seeds": ["http://harbour.example/"], "plugins": ["page", "media"], "tool_options": {"cleanup": false, "log_level": "INFO", "overwrite": false, "relax_perms": true, "initial_workers": 1, "enable_monitoring": false, "enable_vpn_rotation": false, "enable_adaptive_workers": false}, "zimit_passthrough_args": []}', 0, 'success', 'initial_crawl', '{"error": 0, "limit": {"hit": false, "max": 100}, "total": 18, "failed": 0, "crawled": 18, "pending": 0, "finished": 18, "in_progress": 0, "pendingPages": []}', 18, 18, 0, 1, 15, 27120, 40690, 0, 0, '2026-06-01 08:02:01.882988+00', NULL, '@DATA@/archive/harbour/20260601T080001Z__harbour-20260601/archive_initial_crawl_-_attempt_1_20260601_080003.combined.log', NULL, 'none', NULL, NULL, true, 18, 4646, '2026-06-01 08:00:04.085686+00', NULL, NULL, NULL, 0, 'fsid:0123456789abcdef', 0),
	(4, 4, 'lighthouse-example-20260706', '@DATA@/archive/lighthouse-example/20260706T120000Z__lighthouse-example-20260706', 'stopped', 'stopped with 1 URLs to go', '2026-07-06 12:00:00.773086+00', '2026-07-06 12:00:05.521279+00', '2026-07-06 12:00:00.74232+00', NULL, '2026-07-06 12:00:00.78691+00', '2026-07-06 12:00:05.031552+00', 0, NULL, NULL, NULL, '{"crawl": {}, "scope": {"deny_paths": [], "allow_paths": [], "allowed_domains": ["lighthouse.example:80", "lighthouse.example:443"]}, "seeds": ["http://lighthouse.example/"], "plugins": null, "tool_options": {}, "zimit_passthrough_args": []}', 1, 'stopped', 'initial_crawl', '{"error": 0, "limit": {"hit": false, "max": 10000}, "total": 4, "failed": 0, "crawled": 3, "pending": 1, "finished": 3, "in_progress": 0, "pendingPages": []}', 3, 4, 0, 1, 2, 4761, 10540, 0, 0, '2026-07-06 12:00:05.501422+00', NULL, '@DATA@/archive/lighthouse-example/20260706T120000Z__lighthouse-example-20260706/archive_initial_crawl_-_attempt_1_20260706_120000.combined.log', NULL, 'none', NULL, '2026-07-06 12:00:04.995393+00', false, 3, 665, '2026-07-06 12:00:01.888397+00', NULL, NULL, NULL, 0, 'fsid:0123456789abcdef', 0),
	(5, 2, 'museum-2019', '@DATA@/imported', 'indexed', NULL, '2026-07-07 09:00:01.07484+00', '2026-07-07 09:00:01.641426+00', '2026-07-07 09:00:01.070413+00', NULL, '2026-07-07 09:00:01.070413+00', '2026-07-07 09:00:01.070413+00', 0, NULL, NULL, NULL, '{"crawl": {}, "scope": {}, "seeds": [], "plugins": null, "tool_options": {}, "zimit_passthrough_args": []}', NULL, 'success', 'completed', NULL, NULL, NULL, NULL, 1, 2, 1233, 3861, 0, 0, '2026-07-07 09:00:01.613348+00', NULL, NULL, NULL, 'none', NULL, NULL, false, 0, 0, NULL, NULL, NULL, NULL, 0, NULL, 0);

INSERT INTO public.asset_blobs VALUES
	('0978eaf1957c3dd112c85881b06e7a8d6aa0c6fcc396064fe40ac849da181140', 78, '2026-03-02 08:02:02.76036+00'),
	('10f4d23cf1b93625ef9d6130ff5028dff06864b886d3130c4d82fe5e1f451bdf', 127, '2026-03-02 08:02:02.760368+00'),
	('3315088fe1c43cb3ea4922efec06134585259eacf2e7c8d4aebbb5fb16f8929d', 63, '2026-03-02 08:02:02.760369+00'),
	('466817fe035ca514f7e554f01c7cf2befda2e59c24fe07dd633d4d5ebf3b5fff', 78, '2026-03-02 08:02:02.76037+00'),
	('53ab463b41406a3c29bef0fd70c56b8edcbd72dcd3efa70f387dd3ee8da78c27', 96, '2026-03-02 08:02:02.760371+00'),
	('5562a18794dc2e6d73289db4d357bd0c78a18ccd769c77b4aae556074f23bf4a', 25, '2026-03-02 08:02:02.760372+00'),
	('647f93497e2b8c6354229ae0deb391bd7bf3374c67d073b1637321c65475635f', 167, '2026-03-02 08:02:02.760373+00'),
	('a1eb15abdf46772f9962db6270b09e199fc24beb8956db50b3c3131d4d85f06e', 107, '2026-03-02 08:02:02.760374+00'),
	('a9a6f904891686339246216dd767838a41e6c3f71a55a05d6df1c9ecf0799650', 98, '2026-03-02 08:02:02.760375+00'),
	('b1ff9c8ea3a780bad09b346c423d2d0e46815926879b18e841d928376a946640', 69, '2026-03-02 08:02:02.760376+00'),
	('bb6ca6742f4c5b50e97fc160f982e7439a62c4696a9015690b23ed4405fb9cc0', 54, '2026-03-02 08:02:02.760376+00'),
	('c1db75fe1a96dd9414ddaaaca540be09aa7452d37cb14c86995123e87ca794be', 77, '2026-03-02 08:02:02.760377+00'),
	('cb0b6b8a128346871163497c96ae0e8c1dab949e4c07da3141ce301501a0c83c', 110, '2026-03-02 08:02:02.760378+00'),
	('dccc22ff3afc290b674cc11d11f095447d9636ca4c46e920a9b9b8fd932c8bc7', 758, '2026-03-02 08:02:02.760379+00'),
	('f8d752480c4a3f8935187af23f17dcb89fffca23c90d900cbd4546f1961dbeb3', 238, '2026-03-02 08:02:02.76038+00'),
	('ff67264fe05adb1e24217daf4a29c52bf9d5f24dd544c2d6deb1497faab11fa4', 86, '2026-03-02 08:02:02.760381+00'),
	('7ed3d0da60d3e06cc2836cfeda8b1472cc7ee6f7e0ceddb044329af718d70db7', 85, '2026-03-03 10:00:10.692673+00'),
	('834ab5b89e06b2d0b072ecc71d0d657b2acf1914b0f06acb8e62b773eea31734', 84, '2026-03-03 10:00:10.692674+00'),
	('83817740e3f31b14f96fc36316be496c63acba33c7e809c67eef2d6d39bc4869', 89, '2026-03-03 10:00:10.692675+00'),
	('fd78affc669e20fb047238aa9650ba3848c876509fdd658d0336fa25357d0bd5', 76, '2026-03-03 10:00:10.692675+00'),
	('955205197aca10b7e5971039e4fa603debddda759a436be0f35a613ac5b6e956', 110, '2026-06-01 08:02:01.850973+00'),
	('f00f3edb9de21fba04496c16731834752641e3cda902e3601bc9cc8a0a8b266e', 86, '2026-06-01 08:02:01.85098+00'),
	('f35f0b5ab3a9ef16e08e0cfe6abdb91a82e3173108310447b2f2818d46dea3a5', 123, '2026-06-01 08:02:01.850981+00'),
	('502e95760f2b4c9ff68dcf8d1026f0f68ac9ee19e0fa961c0944c7f67b21c8e9', 97, '2026-07-06 12:00:05.428648+00'),
	('53ce7fa7acff55176d26731682ae781019f2c85fdc86f7c1fc87b0e020023ac9', 58, '2026-07-06 12:00:05.428654+00'),
	('5d91bafacb5f91040e18aede7bc4bc5d7bdad028e503c497b9c57b5a81c03c14', 83, '2026-07-07 09:00:01.559687+00'),
	('f349a586fed34d808e5568b9f55cb9d041952fce6d678257108989f9611134d2', 91, '2026-07-07 09:00:01.559692+00');

INSERT INTO public.asset_versions VALUES
	(1, 1, 1, 'f8d752480c4a3f8935187af23f17dcb89fffca23c90d900cbd4546f1961dbeb3', 1, 1, '2026-03-02 08:00:03.588446+00', 'page/harbour.example/index.txt', 'f8d752480c4a3f8935187af23f17dcb89fffca23c90d900cbd4546f1961dbeb3', '[]', '{"title": "Harbour of Gull Rock", "language": "en"}'),
	(2, 2, 1, '5562a18794dc2e6d73289db4d357bd0c78a18ccd769c77b4aae556074f23bf4a', 1, 2, '2026-03-02 08:00:04.606164+00', 'media/style/harbour.example/style.css', '5562a18794dc2e6d73289db4d357bd0c78a18ccd769c77b4aae556074f23bf4a', '["style"]', '{"size": 25, "category": "style", "extension": "css", "media_type": "text/css"}'),
	(3, 3, 1, 'a9a6f904891686339246216dd767838a41e6c3f71a55a05d6df1c9ecf0799650', 1, 3, '2026-03-02 08:00:05.626353+00', 'page/harbour.example/en/ferries.txt', 'a9a6f904891686339246216dd767838a41e6c3f71a55a05d6df1c9ecf0799650', '[]', '{"title": "Ferry timetable", "language": "en"}'),
	(4, 4, 1, 'cb0b6b8a128346871163497c96ae0e8c1dab949e4c07da3141ce301501a0c83c', 1, 4, '2026-03-02 08:00:06.645345+00', 'page/harbour.example/fr/traversiers.txt', 'cb0b6b8a128346871163497c96ae0e8c1dab949e4c07da3141ce301501a0c83c', '[]', '{"title": "Horaire des traversiers", "language": "fr"}'),
	(5, 5, 1, 'ff67264fe05adb1e24217daf4a29c52bf9d5f24dd544c2d6deb1497faab11fa4', 1, 5, '2026-03-02 08:00:07.668097+00', 'page/harbour.example/en/tides.txt', 'ff67264fe05adb1e24217daf4a29c52bf9d5f24dd544c2d6deb1497faab11fa4', '[]', '{"title": "Tide tables", "language": "en"}'),
	(6, 6, 1, '647f93497e2b8c6354229ae0deb391bd7bf3374c67d073b1637321c65475635f', 1, 6, '2026-03-02 08:00:08.690109+00', 'page/harbour.example/fr/marees.txt', '647f93497e2b8c6354229ae0deb391bd7bf3374c67d073b1637321c65475635f', '[]', '{"title": "Table des marées", "language": "fr"}'),
	(7, 7, 1, '53ab463b41406a3c29bef0fd70c56b8edcbd72dcd3efa70f387dd3ee8da78c27', 1, 7, '2026-03-02 08:00:09.712319+00', 'page/harbour.example/en/anchor.txt', '53ab463b41406a3c29bef0fd70c56b8edcbd72dcd3efa70f387dd3ee8da78c27', '[]', '{"title": "The old anchor", "language": "en"}'),
	(8, 8, 1, '10f4d23cf1b93625ef9d6130ff5028dff06864b886d3130c4d82fe5e1f451bdf', 1, 8, '2026-03-02 08:00:10.729685+00', 'page/harbour.example/fr/ancien.txt', '10f4d23cf1b93625ef9d6130ff5028dff06864b886d3130c4d82fe5e1f451bdf', '[]', '{"title": "Le vieux château", "language": "fr"}'),
	(9, 9, 1, 'a1eb15abdf46772f9962db6270b09e199fc24beb8956db50b3c3131d4d85f06e', 1, 9, '2026-03-02 08:00:11.747049+00', 'page/harbour.example/en/news.txt', 'a1eb15abdf46772f9962db6270b09e199fc24beb8956db50b3c3131d4d85f06e', '[]', '{"title": "Harbour news", "language": "en"}'),
	(10, 10, 1, '466817fe035ca514f7e554f01c7cf2befda2e59c24fe07dd633d4d5ebf3b5fff', 1, 10, '2026-03-02 08:00:12.772901+00', 'page/harbour.example/en/contact.txt', '466817fe035ca514f7e554f01c7cf2befda2e59c24fe07dd633d4d5ebf3b5fff', '[]', '{"title": "Contact", "language": "en"}'),
	(11, 11, 1, '0978eaf1957c3dd112c85881b06e7a8d6aa0c6fcc396064fe40ac849da181140', 1, 12, '2026-03-02 08:00:14.804597+00', 'page/harbour.example/en/winter.txt', '0978eaf1957c3dd112c85881b06e7a8d6aa0c6fcc396064fe40ac849da181140', '[]', '{"title": "Winter closing", "language": "en"}'),
	(12, 12, 1, 'bb6ca6742f4c5b50e97fc160f982e7439a62c4696a9015690b23ed4405fb9cc0', 1, 13, '2026-03-02 08:00:15.824106+00', 'page/harbour.example/en/item~9a4b6ae5cdf0.txt', 'bb6ca6742f4c5b50e97fc160f982e7439a62c4696a9015690b23ed4405fb9cc0', '[]', '{"title": "Item seven", "language": "en"}'),
	(13, 13, 1, '3315088fe1c43cb3ea4922efec06134585259eacf2e7c8d4aebbb5fb16f8929d', 1, 14, '2026-03-02 08:00:16.873287+00', 'page/harbour.example/en/item~4907d19b441b.txt', '3315088fe1c43cb3ea4922efec06134585259eacf2e7c8d4aebbb5fb16f8929d', '[]', '{"title": "Item eight", "language": "en"}'),
	(14, 14, 1, 'dccc22ff3afc290b674cc11d11f095447d9636ca4c46e920a9b9b8fd932c8bc7', 1, 15, '2026-03-02 08:00:17.897259+00', 'media/document/harbour.example/files/dredging.pdf', 'dccc22ff3afc290b674cc11d11f095447d9636ca4c46e920a9b9b8fd932c8bc7', '["document"]', '{"size": 758, "category": "document", "extension": "pdf", "media_type": "application/pdf"}'),
	(15, 15, 1, 'c1db75fe1a96dd9414ddaaaca540be09aa7452d37cb14c86995123e87ca794be', 1, 16, '2026-03-02 08:00:18.923735+00', 'media/document/harbour.example/files/notice.txt', 'c1db75fe1a96dd9414ddaaaca540be09aa7452d37cb14c86995123e87ca794be', '["document"]', '{"size": 77, "category": "document", "extension": "txt", "media_type": "text/plain"}'),
	(16, 16, 1, 'b1ff9c8ea3a780bad09b346c423d2d0e46815926879b18e841d928376a946640', 1, 17, '2026-03-02 08:00:19.954622+00', 'media/image/harbour.example/anchor.png', 'b1ff9c8ea3a780bad09b346c423d2d0e46815926879b18e841d928376a946640', '["image"]', '{"size": 69, "category": "image", "extension": "png", "media_type": "image/png"}'),
	(17, 17, 1, '83817740e3f31b14f96fc36316be496c63acba33c7e809c67eef2d6d39bc4869', 2, 18, '2026-03-03 10:00:04.743621+00', 'page/observatory.example/index.txt', '83817740e3f31b14f96fc36316be496c63acba33c7e809c67eef2d6d39bc4869', '[]', '{"title": "Observatory", "language": "en"}'),
	(18, 18, 1, '5562a18794dc2e6d73289db4d357bd0c78a18ccd769c77b4aae556074f23bf4a', 2, 19, '2026-03-03 10:00:05.787534+00', 'media/style/observatory.example/style.css', '5562a18794dc2e6d73289db4d357bd0c78a18ccd769c77b4aae556074f23bf4a', '["style"]', '{"size": 25, "category": "style", "extension": "css", "media_type": "text/css"}'),
	(19, 19, 1, 'fd78affc669e20fb047238aa9650ba3848c876509fdd658d0336fa25357d0bd5', 2, 20, '2026-03-03 10:00:06.811575+00', 'page/observatory.example/gauges.txt', 'fd78affc669e20fb047238aa9650ba3848c876509fdd658d0336fa25357d0bd5', '[]', '{"title": "Gauges", "language": "en"}'),
	(20, 20, 1, '834ab5b89e06b2d0b072ecc71d0d657b2acf1914b0f06acb8e62b773eea31734', 2, 21, '2026-03-03 10:00:07.840869+00', 'page/observatory.example/fr/m_C3_A9t_C3_A9o~de26e878defb.txt', '834ab5b89e06b2d0b072ecc71d0d657b2acf1914b0f06acb8e62b773eea31734', '[]', '{"title": "Météo marine", "language": "fr"}'),
	(21, 21, 1, '7ed3d0da60d3e06cc2836cfeda8b1472cc7ee6f7e0ceddb044329af718d70db7', 2, 22, '2026-03-03 10:00:08.87762+00', 'page/observatory.example/en/ferry.txt', '7ed3d0da60d3e06cc2836cfeda8b1472cc7ee6f7e0ceddb044329af718d70db7', '[]', '{"title": "Wind and the ferry", "language": "en"}'),
	(22, 3, 2, 'f35f0b5ab3a9ef16e08e0cfe6abdb91a82e3173108310447b2f2818d46dea3a5', 3, 25, '2026-06-01 08:00:06.131481+00', 'page/harbour.example/en/ferries.txt', 'f35f0b5ab3a9ef16e08e0cfe6abdb91a82e3173108310447b2f2818d46dea3a5', '[]', '{"title": "Ferry timetable", "language": "en"}'),
	(23, 4, 2, '955205197aca10b7e5971039e4fa603debddda759a436be0f35a613ac5b6e956', 3, 26, '2026-06-01 08:00:07.159473+00', 'page/harbour.example/fr/traversiers.txt', '955205197aca10b7e5971039e4fa603debddda759a436be0f35a613ac5b6e956', '[]', '{"title": "Horaire des traversiers", "language": "fr"}'),
	(24, 22, 1, 'f00f3edb9de21fba04496c16731834752641e3cda902e3601bc9cc8a0a8b266e', 3, 39, '2026-06-01 08:00:20.482419+00', 'page/harbour.example/en/bridge.txt', 'f00f3edb9de21fba04496c16731834752641e3cda902e3601bc9cc8a0a8b266e', '[]', '{"title": "The swing bridge", "language": "en"}'),
	(25, 23, 1, '502e95760f2b4c9ff68dcf8d1026f0f68ac9ee19e0fa961c0944c7f67b21c8e9', 4, 41, '2026-07-06 12:00:01.879745+00', 'page/lighthouse.example/index.txt', '502e95760f2b4c9ff68dcf8d1026f0f68ac9ee19e0fa961c0944c7f67b21c8e9', '[]', '{"title": "The lighthouse", "language": "en"}'),
	(26, 24, 1, '5562a18794dc2e6d73289db4d357bd0c78a18ccd769c77b4aae556074f23bf4a', 4, 42, '2026-07-06 12:00:02.895796+00', 'media/style/lighthouse.example/style.css', '5562a18794dc2e6d73289db4d357bd0c78a18ccd769c77b4aae556074f23bf4a', '["style"]', '{"size": 25, "category": "style", "extension": "css", "media_type": "text/css"}'),
	(27, 25, 1, '53ce7fa7acff55176d26731682ae781019f2c85fdc86f7c1fc87b0e020023ac9', 4, 43, '2026-07-06 12:00:03.930939+00', 'page/lighthouse.example/keeper.txt', '53ce7fa7acff55176d26731682ae781019f2c85fdc86f7c1fc87b0e020023ac9', '[]', '{"title": "The keeper", "language": "en"}'),
	(28, 26, 1, 'f349a586fed34d808e5568b9f55cb9d041952fce6d678257108989f9611134d2', 5, 44, '2019-05-04 10:00:01+00', 'page/museum.example/index.txt', 'f349a586fed34d808e5568b9f55cb9d041952fce6d678257108989f9611134d2', '[]', '{"title": "Musée de la mer", "language": "fr"}'),
	(29, 27, 1, '5d91bafacb5f91040e18aede7bc4bc5d7bdad028e503c497b9c57b5a81c03c14', 5, 45, '2019-05-04 10:00:02+00', 'page/museum.example/salle.txt', '5d91bafacb5f91040e18aede7bc4bc5d7bdad028e503c497b9c57b5a81c03c14', '[]', '{"title": "La salle des phares", "language": "fr"}');

INSERT INTO public.assets VALUES
	(1, 1, 'page', 'http://harbour.example/', 'page', 'http://harbour.example/', 'present', 1, 'f8d752480c4a3f8935187af23f17dcb89fffca23c90d900cbd4546f1961dbeb3', '2026-03-02 08:00:03.588446+00', '2026-06-01 08:00:04.076938+00', 'http://harbour.example/', 3, NULL),
	(2, 1, 'media', 'http://harbour.example/style.css', 'media', 'http://harbour.example/style.css', 'present', 1, '5562a18794dc2e6d73289db4d357bd0c78a18ccd769c77b4aae556074f23bf4a', '2026-03-02 08:00:04.606164+00', '2026-06-01 08:00:05.093775+00', 'http://harbour.example/style.css', 3, NULL),
	(3, 1, 'page', 'http://harbour.example/en/ferries', 'page', 'http://harbour.example/en/ferries', 'present', 2, 'f35f0b5ab3a9ef16e08e0cfe6abdb91a82e3173108310447b2f2818d46dea3a5', '2026-03-02 08:00:05.626353+00', '2026-06-01 08:00:06.131481+00', 'http://harbour.example/en/ferries', 3, NULL),
	(4, 1, 'page', 'http://harbour.example/fr/traversiers', 'page', 'http://harbour.example/fr/traversiers', 'present', 2, '955205197aca10b7e5971039e4fa603debddda759a436be0f35a613ac5b6e956', '2026-03-02 08:00:06.645345+00', '2026-06-01 08:00:07.159473+00', 'http://harbour.example/fr/traversiers', 3, NULL),
	(5, 1, 'page', 'http://harbour.example/en/tides', 'page', 'http://harbour.example/en/tides', 'present', 1, 'ff67264fe05adb1e24217daf4a29c52bf9d5f24dd544c2d6deb1497faab11fa4', '2026-03-02 08:00:07.668097+00', '2026-06-01 08:00:08.176753+00', 'http://harbour.example/en/tides', 3, NULL),
	(6, 1, 'page', 'http://harbour.example/fr/marees', 'page', 'http://harbour.example/fr/marees', 'present', 1, '647f93497e2b8c6354229ae0deb391bd7bf3374c67d073b1637321c65475635f', '2026-03-02 08:00:08.690109+00', '2026-06-01 08:00:09.190149+00', 'http://harbour.example/fr/marees', 3, NULL),
	(7, 1, 'page', 'http://harbour.example/en/anchor', 'page', 'http://harbour.example/en/anchor', 'present', 1, '53ab463b41406a3c29bef0fd70c56b8edcbd72dcd3efa70f387dd3ee8da78c27', '2026-03-02 08:00:09.712319+00', '2026-06-01 08:00:10.214807+00', 'http://harbour.example/en/anchor', 3, NULL),
	(8, 1, 'page', 'http://harbour.example/fr/ancien', 'page', 'http://harbour.example/fr/ancien', 'present', 1, '10f4d23cf1b93625ef9d6130ff5028dff06864b886d3130c4d82fe5e1f451bdf', '2026-03-02 08:00:10.729685+00', '2026-06-01 08:00:11.259528+00', 'http://harbour.example/fr/ancien', 3, NULL),
	(9, 1, 'page', 'http://harbour.example/en/news', 'page', 'http://harbour.example/en/news', 'present', 1, 'a1eb15abdf46772f9962db6270b09e199fc24beb8956db50b3c3131d4d85f06e', '2026-03-02 08:00:11.747049+00', '2026-06-01 08:00:12.285296+00', 'http://harbour.example/en/news', 3, NULL),
	(10, 1, 'page', 'http://harbour.example/en/contact', 'page', 'http://harbour.example/en/contact', 'present', 1, '466817fe035ca514f7e554f01c7cf2befda2e59c24fe07dd633d4d5ebf3b5fff', '2026-03-02 08:00:12.772901+00', '2026-06-01 08:00:13.315491+00', 'http://harbour.example/en/contact', 3, NULL),
	(11, 1, 'page', 'http://harbour.example/en/winter', 'page', 'http://harbour.example/en/winter', 'missing', 1, '0978eaf1957c3dd112c85881b06e7a8d6aa0c6fcc396064fe40ac849da181140', '2026-03-02 08:00:14.804597+00', '2026-03-02 08:00:14.804597+00', 'http://harbour.example/en/winter', 1, '2026-06-01 08:00:15.354523+00'),
	(12, 1, 'page', 'http://harbour.example/en/item?id=7', 'page', 'http://harbour.example/en/item?id=7', 'present', 1, 'bb6ca6742f4c5b50e97fc160f982e7439a62c4696a9015690b23ed4405fb9cc0', '2026-03-02 08:00:15.824106+00', '2026-06-01 08:00:16.373134+00', 'http://harbour.example/en/item?id=7', 3, NULL),
	(13, 1, 'page', 'http://harbour.example/en/item?id=8', 'page', 'http://harbour.example/en/item?id=8', 'present', 1, '3315088fe1c43cb3ea4922efec06134585259eacf2e7c8d4aebbb5fb16f8929d', '2026-03-02 08:00:16.873287+00', '2026-06-01 08:00:17.407564+00', 'http://harbour.example/en/item?id=8', 3, NULL),
	(14, 1, 'media', 'http://harbour.example/files/dredging.pdf', 'media', 'http://harbour.example/files/dredging.pdf', 'present', 1, 'dccc22ff3afc290b674cc11d11f095447d9636ca4c46e920a9b9b8fd932c8bc7', '2026-03-02 08:00:17.897259+00', '2026-06-01 08:00:18.430273+00', 'http://harbour.example/files/dredging.pdf', 3, NULL),
	(15, 1, 'media', 'http://harbour.example/files/notice.txt', 'media', 'http://harbour.example/files/notice.txt', 'present', 1, 'c1db75fe1a96dd9414ddaaaca540be09aa7452d37cb14c86995123e87ca794be', '2026-03-02 08:00:18.923735+00', '2026-06-01 08:00:19.458011+00', 'http://harbour.example/files/notice.txt', 3, NULL),
	(16, 1, 'media', 'http://harbour.example/anchor.png', 'media', 'http://harbour.example/anchor.png', 'present', 1, 'b1ff9c8ea3a780bad09b346c423d2d0e46815926879b18e841d928376a946640', '2026-03-02 08:00:19.954622+00', '2026-06-01 08:00:21.504058+00', 'http://harbour.example/anchor.png', 3, NULL),
	(17, 3, 'page', 'http://observatory.example/', 'page', 'http://observatory.example/', 'present', 1, '83817740e3f31b14f96fc36316be496c63acba33c7e809c67eef2d6d39bc4869', '2026-03-03 10:00:04.743621+00', '2026-03-03 10:00:04.743621+00', 'http://observatory.example/', 2, NULL),
	(18, 3, 'media', 'http://observatory.example/style.css', 'media', 'http://observatory.example/style.css', 'present', 1, '5562a18794dc2e6d73289db4d357bd0c78a18ccd769c77b4aae556074f23bf4a', '2026-03-03 10:00:05.787534+00', '2026-03-03 10:00:05.787534+00', 'http://observatory.example/style.css', 2, NULL),
	(19, 3, 'page', 'http://observatory.example/gauges', 'page', 'http://observatory.example/gauges', 'present', 1, 'fd78affc669e20fb047238aa9650ba3848c876509fdd658d0336fa25357d0bd5', '2026-03-03 10:00:06.811575+00', '2026-03-03 10:00:06.811575+00', 'http://observatory.example/gauges', 2, NULL),
	(20, 3, 'page', 'http://observatory.example/fr/m%C3%A9t%C3%A9o', 'page', 'http://observatory.example/fr/m%C3%A9t%C3%A9o', 'present', 1, '834ab5b89e06b2d0b072ecc71d0d657b2acf1914b0f06acb8e62b773eea31734', '2026-03-03 10:00:07.840869+00', '2026-03-03 10:00:07.840869+00', 'http://observatory.example/fr/m%C3%A9t%C3%A9o', 2, NULL),
	(21, 3, 'page', 'http://observatory.example/en/ferry', 'page', 'http://observatory.example/en/ferry', 'present', 1, '7ed3d0da60d3e06cc2836cfeda8b1472cc7ee6f7e0ceddb044329af718d70db7', '2026-03-03 10:00:08.87762+00', '2026-03-03 10:00:08.87762+00', 'http://observatory.example/en/ferry', 2, NULL),
	(22, 1, 'page', 'http://harbour.example/en/bridge', 'page', 'http://harbour.example/en/bridge', 'present', 1, 'f00f3edb9de21fba04496c16731834752641e3cda902e3601bc9cc8a0a8b266e', '2026-06-01 08:00:20.482419+00', '2026-06-01 08:00:20.482419+00', 'http://harbour.example/en/bridge', 3, NULL),
	(23, 4, 'page', 'http://lighthouse.example/', 'page', 'http://lighthouse.example/', 'present', 1, '502e95760f2b4c9ff68dcf8d1026f0f68ac9ee19e0fa961c0944c7f67b21c8e9', '2026-07-06 12:00:01.879745+00', '2026-07-06 12:00:01.879745+00', 'http://lighthouse.example/', 4, NULL),
	(24, 4, 'media', 'http://lighthouse.example/style.css', 'media', 'http://lighthouse.example/style.css', 'present', 1, '5562a18794dc2e6d73289db4d357bd0c78a18ccd769c77b4aae556074f23bf4a', '2026-07-06 12:00:02.895796+00', '2026-07-06 12:00:02.895796+00', 'http://lighthouse.example/style.css', 4, NULL),
	(25, 4, 'page', 'http://lighthouse.example/keeper', 'page', 'http://lighthouse.example/keeper', 'present', 1, '53ce7fa7acff55176d26731682ae781019f2c85fdc86f7c1fc87b0e020023ac9', '2026-07-06 12:00:03.930939+00', '2026-07-06 12:00:03.930939+00', 'http://lighthouse.example/keeper', 4, NULL),
	(26, 2, 'page', 'http://museum.example/', 'page', 'http://museum.example/', 'present', 1, 'f349a586fed34d808e5568b9f55cb9d041952fce6d678257108989f9611134d2', '2019-05-04 10:00:01+00', '2019-05-04 10:00:01+00', 'http://museum.example/', 5, NULL),
	(27, 2, 'page', 'http://museum.example/salle', 'page', 'http://museum.example/salle', 'present', 1, '5d91bafacb5f91040e18aede7bc4bc5d7bdad028e503c497b9c57b5a81c03c14', '2019-05-04 10:00:02+00', '2019-05-04 10:00:02+00', 'http://museum.example/salle', 5, NULL);

INSERT INTO public.audit_log VALUES
	(1, '2026-03-01 09:00:01.325033+00', 'command line', 'source.add', 'source:harbour', '{"after": {"name": "Harbour of Gull Rock", "base_url": "http://harbour.example/", "schedule": "weekly", "job_config": {"crawl": {"max_pages": 100}, "scope": {}, "plugins": ["page", "media"], "default_seeds": ["http://harbour.example/"], "name_template": "harbour-{date:%Y%m%d}", "schedule_hint": "weekly", "default_tool_options": {}, "default_zimit_passthrough_args": []}}}', NULL, NULL),
	(2, '2026-03-01 09:05:01.111847+00', 'command line', 'source.add', 'source:museum', '{"after": {"name": "Musée de la mer", "base_url": "http://museum.example/", "schedule": "0 3 * * 1", "job_config": {"crawl": {}, "scope": {}, "plugins": null, "default_seeds": ["http://museum.example/"], "name_template": "museum-{date:%Y%m%d}", "schedule_hint": "0 3 * * 1", "default_tool_options": {}, "default_zimit_passthrough_args": []}}}', NULL, NULL),
	(3, '2026-03-01 09:06:00.928417+00', 'command line', 'source.pause', 'source:museum', '{"after": {"schedule_paused": true}, "before": {"schedule_paused": false}}', NULL, NULL),
	(4, '2026-03-02 08:00:00.739753+00', 'command line', 'job.create', 'job:1', '{"seeds": [], "source": "harbour", "overrides": {}}', NULL, NULL),
	(5, '2026-03-02 08:00:01.633892+00', 'command line', 'job.run', 'job:1', '{}', NULL, NULL),
	(6, '2026-03-02 08:02:02.252337+00', 'command line', 'job.index', 'job:1', '{"again": false}', NULL, NULL),
	(7, '2026-03-03 08:00:01.649991+00', 'command line', 'source.add', 'source:observatory', '{"after": {"name": "Observatory", "base_url": "http://observatory.example/", "schedule": "7d", "job_config": {"crawl": {}, "scope": {}, "plugins": null, "default_seeds": ["http://observatory.example/"], "name_template": "observatory-{date:%Y%m%d}", "schedule_hint": "7d", "default_tool_options": {}, "default_zimit_passthrough_args": []}}}', NULL, NULL),
	(8, '2026-06-01 08:00:01.537167+00', 'command line', 'job.create', 'job:3', '{"seeds": [], "source": "harbour", "overrides": {}}', NULL, NULL),
	(9, '2026-06-01 08:00:01.993856+00', 'command line', 'job.run', 'job:3', '{}', NULL, NULL),
	(10, '2026-06-01 08:02:01.692298+00', 'command line', 'job.index', 'job:3', '{"again": false}', NULL, NULL),
	(11, '2026-07-06 12:00:00.764676+00', 'command line', 'source.add', 'source:lighthouse-example', '{"after": {"name": "lighthouse.example", "base_url": "http://lighthouse.example/"}}', NULL, NULL),
	(12, '2026-07-06 12:00:00.774773+00', 'command line', 'job.create', 'job:4', '{"crawl": {}, "seeds": ["http://lighthouse.example/"], "source": "lighthouse-example"}', NULL, NULL),
	(13, '2026-07-07 09:00:01.086077+00', 'command line', 'job.register', 'job:5', '{"files": 1, "folder": "@DATA@/imported"}', NULL, NULL),
	(14, '2026-07-07 09:00:01.250996+00', 'command line', 'job.index', 'job:5', '{"again": false}', NULL, NULL),
	(15, '2026-07-07 12:00:03.894891+00', 'open development', 'report.update', 'report:1', '{"after": {"status": "triaged", "internal_notes": "The picture is an asset of the page."}, "before": {"status": "new", "internal_notes": null}}', '06bddff3-c61a-4298-a3fd-aa3675716be1', '127.0.0.1');

INSERT INTO public.captures VALUES
	(1, 1, 1, 1, 415, 1532, '<urn:uuid:4b97c274-e320-4e8e-b791-07c8e07db260>', 'response', 'http://harbour.example/', 'example,harbour)/', '2026-03-02 08:00:03.588446+00', 200, 'text/html', 'sha1:P7VCDHDNPUS2Y7FLORMA3JKZAXLDNDF2', NULL, '"home-1"', NULL),
	(2, 1, 1, 1, 2574, 587, '<urn:uuid:576c173e-a942-474c-b5a0-fabb31bb21d7>', 'response', 'http://harbour.example/style.css', 'example,harbour)/style.css', '2026-03-02 08:00:04.606164+00', 200, 'text/css', 'sha1:X5XOPQLUWIF2FBYGMBT3HI242YXZKLM7', NULL, NULL, NULL),
	(3, 1, 1, 1, 3806, 910, '<urn:uuid:198e6d21-235a-4fc9-8684-3a7fd2989771>', 'response', 'http://harbour.example/en/ferries', 'example,harbour)/en/ferries', '2026-03-02 08:00:05.626353+00', 200, 'text/html', 'sha1:IMFN75VHVR5ILDS3ERHR2NLHNHFCC5SO', NULL, NULL, NULL),
	(4, 1, 1, 1, 5363, 954, '<urn:uuid:db5dc8ff-7e53-42aa-8b83-3beebf2d3cb9>', 'response', 'http://harbour.example/fr/traversiers', 'example,harbour)/fr/traversiers', '2026-03-02 08:00:06.645345+00', 200, 'text/html', 'sha1:WRAWJMGDRFX7EN6XRU3GSBGDCL6Y7PAH', NULL, NULL, NULL),
	(5, 1, 1, 1, 6972, 923, '<urn:uuid:1efff201-4eeb-4896-a6e8-23cca77b661b>', 'response', 'http://harbour.example/en/tides', 'example,harbour)/en/tides', '2026-03-02 08:00:07.668097+00', 200, 'text/html', 'sha1:H7OKUZWOWE2V22FJPAU4H4TZF43O7BWT', NULL, NULL, NULL),
	(6, 1, 1, 1, 8538, 986, '<urn:uuid:f046f21a-c7d4-46d6-80f0-e6ee6d8cc574>', 'response', 'http://harbour.example/fr/marees', 'example,harbour)/fr/marees', '2026-03-02 08:00:08.690109+00', 200, 'text/html', 'sha1:XQGRQJKJRRTGA6YLTD5LYGRPHY6TRCEC', NULL, NULL, NULL),
	(7, 1, 1, 1, 10169, 905, '<urn:uuid:348e9fb3-a501-4ec2-96ff-5d7a4697d4c5>', 'response', 'http://harbour.example/en/anchor', 'example,harbour)/en/anchor', '2026-03-02 08:00:09.712319+00', 200, 'text/html', 'sha1:5O647NJ33VOBVWWT5H44UBTTZEAIEI6Y', NULL, NULL, NULL),
	(8, 1, 1, 1, 11719, 783, '<urn:uuid:44eca392-7c92-49a8-a86a-75805b850008>', 'response', 'http://harbour.example/fr/ancien', 'example,harbour)/fr/ancien', '2026-03-02 08:00:10.729685+00', 200, 'text/html', 'sha1:EZ5R4LTXBCBF4G2H5A4Y7FFCGODKMYZ2', NULL, NULL, NULL),
	(9, 1, 1, 1, 13147, 939, '<urn:uuid:7390d68d-8de5-4272-bf95-c0522e13b7a9>', 'response', 'http://harbour.example/en/news', 'example,harbour)/en/news', '2026-03-02 08:00:11.747049+00', 200, 'text/html', 'sha1:2JXCM6I52LT5YWLHSTDW2UMFGJV4OQO2', NULL, NULL, NULL),
	(10, 1, 1, 1, 14727, 881, '<urn:uuid:d251cc4d-0b83-4d8c-90cb-724ef969cd8d>', 'response', 'http://harbour.example/en/contact', 'example,harbour)/en/contact', '2026-03-02 08:00:12.772901+00', 200, 'text/html', 'sha1:GTVWIUCS23A6BM5DS4LZFEARPURIFTDA', NULL, NULL, NULL),
	(11, 1, 1, 1, 16255, 580, '<urn:uuid:a5cbbf42-6db1-4005-9c50-f8e4c821b196>', 'response', 'http://harbour.example/en/old-ferries', 'example,harbour)/en/old-ferries', '2026-03-02 08:00:13.788676+00', 301, NULL, 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ', NULL, NULL, NULL),
	(12, 1, 1, 1, 17490, 858, '<urn:uuid:8eba1c3b-7c64-4817-bd69-16f502309b86>', 'response', 'http://harbour.example/en/winter', 'example,harbour)/en/winter', '2026-03-02 08:00:14.804597+00', 200, 'text/html', 'sha1:B3VYFR5EYDR46Q4N5IXANF7ELFYVRUBB', NULL, NULL, NULL),
	(13, 1, 1, 1, 18993, 837, '<urn:uuid:ce8cd63a-b4bd-49cc-9c4a-a80e608061e7>', 'response', 'http://harbour.example/en/item?id=7', 'example,harbour)/en/item?id=7', '2026-03-02 08:00:15.824106+00', 200, 'text/html', 'sha1:VPZB4EGEFDX3Z4T5YYU3GP2FZLZBQJZS', NULL, NULL, NULL),
	(14, 1, 1, 1, 20481, 846, '<urn:uuid:9f903a36-3968-4c30-a6d1-b6b281b234ae>', 'response', 'http://harbour.example/en/item?id=8', 'example,harbour)/en/item?id=8', '2026-03-02 08:00:16.873287+00', 200, 'text/html', 'sha1:3FYSTLPK54AJB27NYGXBKNOMOM3FG2M2', NULL, NULL, NULL),
	(15, 1, 1, 1, 21978, 1338, '<urn:uuid:e8657ded-2c8f-4444-a679-bd44be8f1f70>', 'response', 'http://harbour.example/files/dredging.pdf', 'example,harbour)/files/dredging.pdf', '2026-03-02 08:00:17.897259+00', 200, 'application/pdf', 'sha1:TVOOSCZ5OTMCQXORLLFOAHTIXRMY6UU4', NULL, NULL, NULL),
	(16, 1, 1, 1, 23979, 667, '<urn:uuid:5c84f7cf-d7a5-4957-a440-2f274fe8d5f2>', 'response', 'http://harbour.example/files/notice.txt', 'example,harbour)/files/notice.txt', '2026-03-02 08:00:18.923735+00', 200, 'text/plain', 'sha1:OCKI2Q3XTD4EBVO56HHHLOME37DLUBHQ', NULL, NULL, NULL),
	(17, 1, 1, 1, 25305, 634, '<urn:uuid:8e1c4bad-fcf3-46ac-947b-47d66e07a9f5>', 'response', 'http://harbour.example/anchor.png', 'example,harbour)/anchor.png', '2026-03-02 08:00:19.954622+00', 200, 'image/png', 'sha1:E4ZPCKUPDDJHZ4H2PDXUCCI37IOM5SOO', NULL, NULL, NULL),
	(18, 2, 3, 2, 427, 998, '<urn:uuid:02bd5301-a9f3-4df9-aff0-574f4151be94>', 'response', 'http://observatory.example/', 'example,observatory)/', '2026-03-03 10:00:04.743621+00', 200, 'text/html', 'sha1:ZEMKYFDAFAYJBQYVZSZWZ3EP3ZU3RV3T', NULL, NULL, NULL),
	(19, 2, 3, 2, 2060, 591, '<urn:uuid:f9845835-6e94-46ec-acf3-47822f9f2bb4>', 'response', 'http://observatory.example/style.css', 'example,observatory)/style.css', '2026-03-03 10:00:05.787534+00', 200, 'text/css', 'sha1:X5XOPQLUWIF2FBYGMBT3HI242YXZKLM7', NULL, NULL, NULL),
	(20, 2, 3, 2, 3304, 881, '<urn:uuid:325c3d25-fd07-406b-a0f9-79ff53e321d8>', 'response', 'http://observatory.example/gauges', 'example,observatory)/gauges', '2026-03-03 10:00:06.811575+00', 200, 'text/html', 'sha1:7UK6ERL6KH3GHDT6KC3PQYRCX7UU6FNO', NULL, NULL, NULL),
	(21, 2, 3, 2, 4832, 901, '<urn:uuid:ce0f31a9-1477-4c8a-9482-b603ca81dcd7>', 'response', 'http://observatory.example/fr/m%C3%A9t%C3%A9o', 'example,observatory)/fr/m%C3%A9t%C3%A9o', '2026-03-03 10:00:07.840869+00', 200, 'text/html', 'sha1:JL5ZA3DISJAQ5VKPB7WZTHOIPI4IW2JF', NULL, NULL, NULL),
	(22, 2, 3, 2, 6404, 892, '<urn:uuid:3744c381-3189-4f51-aee2-e9433cef1a1a>', 'response', 'http://observatory.example/en/ferry', 'example,observatory)/en/ferry', '2026-03-03 10:00:08.87762+00', 200, 'text/html', 'sha1:OX6ZEPITJTSGVOQWD47J6TPTMAEFIWWJ', NULL, NULL, NULL),
	(23, 3, 1, 3, 415, 735, '<urn:uuid:fa31af22-74f6-4bcc-80bf-aef5d6d78a63>', 'revisit', 'http://harbour.example/', 'example,harbour)/', '2026-06-01 08:00:04.076938+00', 304, NULL, NULL, '<urn:uuid:4b97c274-e320-4e8e-b791-07c8e07db260>', '"home-1"', NULL),
	(24, 3, 1, 3, 1802, 817, '<urn:uuid:b20306c6-5828-4787-ba71-faaa705ce0ca>', 'revisit', 'http://harbour.example/style.css', 'example,harbour)/style.css', '2026-06-01 08:00:05.093775+00', 200, 'text/css', 'sha1:X5XOPQLUWIF2FBYGMBT3HI242YXZKLM7', '<urn:uuid:576c173e-a942-474c-b5a0-fabb31bb21d7>', NULL, NULL),
	(25, 3, 1, 3, 3264, 969, '<urn:uuid:c28390cf-6807-469b-add3-af5b411fbd2a>', 'response', 'http://harbour.example/en/ferries', 'example,harbour)/en/ferries', '2026-06-01 08:00:06.131481+00', 200, 'text/html', 'sha1:R476T7V2QLTCZWDBDZDVQJK4JHXYQKLB', NULL, NULL, NULL),
	(26, 3, 1, 3, 4880, 954, '<urn:uuid:60229549-c2d9-41ed-b66e-2d891afb856b>', 'response', 'http://harbour.example/fr/traversiers', 'example,harbour)/fr/traversiers', '2026-06-01 08:00:07.159473+00', 200, 'text/html', 'sha1:SB5Q6GSHOIINALT77RPXF73QBX6QJALE', NULL, NULL, NULL),
	(27, 3, 1, 3, 6489, 832, '<urn:uuid:b2299403-4b41-4ab0-8dbd-b731f1139e41>', 'revisit', 'http://harbour.example/en/tides', 'example,harbour)/en/tides', '2026-06-01 08:00:08.176753+00', 200, 'text/html', 'sha1:H7OKUZWOWE2V22FJPAU4H4TZF43O7BWT', '<urn:uuid:1efff201-4eeb-4896-a6e8-23cca77b661b>', NULL, NULL),
	(28, 3, 1, 3, 7964, 834, '<urn:uuid:637ef378-da11-4557-a5a5-f82f9ff877cb>', 'revisit', 'http://harbour.example/fr/marees', 'example,harbour)/fr/marees', '2026-06-01 08:00:09.190149+00', 200, 'text/html', 'sha1:XQGRQJKJRRTGA6YLTD5LYGRPHY6TRCEC', '<urn:uuid:f046f21a-c7d4-46d6-80f0-e6ee6d8cc574>', NULL, NULL),
	(29, 3, 1, 3, 9443, 834, '<urn:uuid:6d0f7a85-a7de-4724-a673-6c8a1adc1051>', 'revisit', 'http://harbour.example/en/anchor', 'example,harbour)/en/anchor', '2026-06-01 08:00:10.214807+00', 200, 'text/html', 'sha1:5O647NJ33VOBVWWT5H44UBTTZEAIEI6Y', '<urn:uuid:348e9fb3-a501-4ec2-96ff-5d7a4697d4c5>', NULL, NULL),
	(30, 3, 1, 3, 10922, 839, '<urn:uuid:d01395cb-f15f-4ef3-97af-bd4c56d3a655>', 'revisit', 'http://harbour.example/fr/ancien', 'example,harbour)/fr/ancien', '2026-06-01 08:00:11.259528+00', 200, 'text/html', 'sha1:EZ5R4LTXBCBF4G2H5A4Y7FFCGODKMYZ2', '<urn:uuid:44eca392-7c92-49a8-a86a-75805b850008>', NULL, NULL),
	(31, 3, 1, 3, 12406, 855, '<urn:uuid:dae9bebc-3c13-4e2f-bce9-f867732a5265>', 'revisit', 'http://harbour.example/en/news', 'example,harbour)/en/news', '2026-06-01 08:00:12.285296+00', 200, 'text/html', 'sha1:2JXCM6I52LT5YWLHSTDW2UMFGJV4OQO2', '<urn:uuid:7390d68d-8de5-4272-bf95-c0522e13b7a9>', NULL, NULL),
	(32, 3, 1, 3, 13902, 859, '<urn:uuid:da02bf40-2793-4020-bae3-8eda86322586>', 'revisit', 'http://harbour.example/en/contact', 'example,harbour)/en/contact', '2026-06-01 08:00:13.315491+00', 200, 'text/html', 'sha1:GTVWIUCS23A6BM5DS4LZFEARPURIFTDA', '<urn:uuid:d251cc4d-0b83-4d8c-90cb-724ef969cd8d>', NULL, NULL),
	(33, 3, 1, 3, 15408, 580, '<urn:uuid:3f931e8c-01a2-447c-9a57-67b65abde611>', 'response', 'http://harbour.example/en/old-ferries', 'example,harbour)/en/old-ferries', '2026-06-01 08:00:14.336839+00', 301, NULL, 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ', NULL, NULL, NULL),
	(34, 3, 1, 3, 16643, 856, '<urn:uuid:4f3878c7-abda-41c5-a715-67f0969b233f>', 'response', 'http://harbour.example/en/winter', 'example,harbour)/en/winter', '2026-06-01 08:00:15.354523+00', 404, 'text/html', 'sha1:CQRM7WJIHHMTZAVDE6K5BNGQVGLK4E4G', NULL, NULL, NULL),
	(35, 3, 1, 3, 18144, 840, '<urn:uuid:30502759-78fc-41c2-ab92-4c9e2b198978>', 'revisit', 'http://harbour.example/en/item?id=7', 'example,harbour)/en/item?id=7', '2026-06-01 08:00:16.373134+00', 200, 'text/html', 'sha1:VPZB4EGEFDX3Z4T5YYU3GP2FZLZBQJZS', '<urn:uuid:ce8cd63a-b4bd-49cc-9c4a-a80e608061e7>', NULL, NULL),
	(36, 3, 1, 3, 19635, 840, '<urn:uuid:180f1788-68ce-4054-8034-9b32e68a9357>', 'revisit', 'http://harbour.example/en/item?id=8', 'example,harbour)/en/item?id=8', '2026-06-01 08:00:17.407564+00', 200, 'text/html', 'sha1:3FYSTLPK54AJB27NYGXBKNOMOM3FG2M2', '<urn:uuid:9f903a36-3968-4c30-a6d1-b6b281b234ae>', NULL, NULL),
	(37, 3, 1, 3, 21126, 843, '<urn:uuid:7e0cbc0e-b192-491e-9bc2-104e98ecfb09>', 'revisit', 'http://harbour.example/files/dredging.pdf', 'example,harbour)/files/dredging.pdf', '2026-06-01 08:00:18.430273+00', 200, 'application/pdf', 'sha1:TVOOSCZ5OTMCQXORLLFOAHTIXRMY6UU4', '<urn:uuid:e8657ded-2c8f-4444-a679-bd44be8f1f70>', NULL, NULL),
	(38, 3, 1, 3, 22632, 851, '<urn:uuid:8df5545f-539f-4cdf-94db-0543f9de0cc5>', 'revisit', 'http://harbour.example/files/notice.txt', 'example,harbour)/files/notice.txt', '2026-06-01 08:00:19.458011+00', 200, 'text/plain', 'sha1:OCKI2Q3XTD4EBVO56HHHLOME37DLUBHQ', '<urn:uuid:5c84f7cf-d7a5-4957-a440-2f274fe8d5f2>', NULL, NULL),
	(39, 3, 1, 3, 24142, 866, '<urn:uuid:9d2a5acd-cdbb-47c0-9c6a-4c754298b193>', 'response', 'http://harbour.example/en/bridge', 'example,harbour)/en/bridge', '2026-06-01 08:00:20.482419+00', 200, 'text/html', 'sha1:GGBAKUD67RAYISA5RD47UX2X4M54JI7Y', NULL, NULL, NULL),
	(40, 3, 1, 3, 25653, 820, '<urn:uuid:9b2c8d1f-a84b-4543-85d6-9c677405d7eb>', 'revisit', 'http://harbour.example/anchor.png', 'example,harbour)/anchor.png', '2026-06-01 08:00:21.504058+00', 200, 'image/png', 'sha1:E4ZPCKUPDDJHZ4H2PDXUCCI37IOM5SOO', '<urn:uuid:8e1c4bad-fcf3-46ac-947b-47d66e07a9f5>', NULL, NULL),
	(41, 4, 4, 4, 448, 932, '<urn:uuid:a5c34e72-274b-4ce5-b23b-7c469d83a6c1>', 'response', 'http://lighthouse.example/', 'example,lighthouse)/', '2026-07-06 12:00:01.879745+00', 200, 'text/html', 'sha1:RI3PHV53IA3LMOSRNDHEPP2UEW3BPJTZ', NULL, NULL, NULL),
	(42, 4, 4, 4, 2013, 590, '<urn:uuid:6fe6b00b-1a34-4062-9fe0-218c3d752cbf>', 'response', 'http://lighthouse.example/style.css', 'example,lighthouse)/style.css', '2026-07-06 12:00:02.895796+00', 200, 'text/css', 'sha1:X5XOPQLUWIF2FBYGMBT3HI242YXZKLM7', NULL, NULL, NULL),
	(43, 4, 4, 4, 3254, 862, '<urn:uuid:c7fb4235-a49b-4bd3-974b-06fc9af64caa>', 'response', 'http://lighthouse.example/keeper', 'example,lighthouse)/keeper', '2026-07-06 12:00:03.930939+00', 200, 'text/html', 'sha1:7S6OCTMGG2EJG556DBRLQHYCQUOGACUF', NULL, NULL, NULL),
	(44, 5, 2, 5, 0, 618, '<urn:uuid:00000000-0000-4000-8000-000000000001>', 'response', 'http://museum.example/', 'example,museum)/', '2019-05-04 10:00:01+00', 200, 'text/html', NULL, NULL, NULL, NULL),
	(45, 5, 2, 5, 618, 615, '<urn:uuid:00000000-0000-4000-8000-000000000002>', 'response', 'http://museum.example/salle', 'example,museum)/salle', '2019-05-04 10:00:02+00', 200, 'text/html', NULL, NULL, NULL, NULL);

INSERT INTO public.crawl_reports VALUES
	(1, 'archive:12686:0cc0e98e', '2026-03-02 08:00:19.978846+00', '{"idle": 0.0, "rate": 1.0, "bytes": 5254, "hosts": {"harbour.example": {"bytes": 5254, "errors": 0, "responses": 17}}, "errors": {}, "responses": 17}'),
	(2, 'archive:14020:a6002c96', '2026-03-03 10:00:08.898725+00', '{"idle": 0.0, "rate": 0.95, "bytes": 1365, "hosts": {"observatory.example": {"bytes": 1365, "errors": 1, "responses": 5}}, "errors": {"robots": 1}, "responses": 5}'),
	(3, 'archive:15382:16eb4249', '2026-06-01 08:00:21.520961+00', '{"idle": 0.0, "rate": 1.0, "bytes": 4646, "hosts": {"harbour.example": {"bytes": 4646, "errors": 0, "responses": 18}}, "errors": {}, "responses": 18}'),
	(4, 'archive:15807:90b4e7da', '2026-07-06 12:00:05.00018+00', '{"idle": 1.1, "rate": 0.72, "bytes": 665, "hosts": {"lighthouse.example": {"bytes": 665, "errors": 0, "responses": 3}}, "errors": {}, "responses": 3}');

INSERT INTO public.crawl_tasks VALUES
	(1, 1, 'http://harbour.example/', '0ee46fe9b3fe7033ee605d3367e091a3', 'harbour.example', 0, 'page', 'finished', 0, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:02.544566+00', '2026-03-02 08:00:03.601692+00'),
	(2, 1, 'http://harbour.example/style.css', 'fb1226ee629bdd148413cf607795add4', 'harbour.example', 1, 'media', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:04.613253+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:04.613253+00'),
	(3, 1, 'http://harbour.example/en/ferries', '77661b73730d4e13c923b3421d879e81', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:05.631696+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:05.631696+00'),
	(4, 1, 'http://harbour.example/fr/traversiers', 'da4d5cbbc841cb982c0940bd7e595d32', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:06.649767+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:06.649767+00'),
	(5, 1, 'http://harbour.example/en/tides', 'f894dab911670f4eedbf459beb4e37a3', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:07.672197+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:07.672197+00'),
	(6, 1, 'http://harbour.example/fr/marees', 'a58636f29bc2d9d08f591fbed8a918ce', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:08.694497+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:08.694497+00'),
	(7, 1, 'http://harbour.example/en/anchor', 'aa91e989934635ce3564c435af1a7738', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:09.717166+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:09.717166+00'),
	(8, 1, 'http://harbour.example/fr/ancien', '9eb809d2ab67cb768c987ddf421843fe', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:10.736807+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:10.736807+00'),
	(9, 1, 'http://harbour.example/en/news', '1419fe51b5f32a34a0bcb351b76e1ab7', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:11.751745+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:11.751745+00'),
	(10, 1, 'http://harbour.example/en/contact', '3b2ed126204ef7a48a27bceb2af5536a', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:12.77704+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:12.77704+00'),
	(11, 1, 'http://harbour.example/en/old-ferries', 'f13218a139baadf9bc959ef3af42b4ca', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:13.792873+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:13.792873+00'),
	(12, 1, 'http://harbour.example/en/winter', 'dc017a367dfb162d98158ad471dac097', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:14.816972+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:14.816972+00'),
	(13, 1, 'http://harbour.example/en/item?id=7', '9a4b6ae5cdf05b6b9301119837acce46', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:15.829525+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:15.829525+00'),
	(14, 1, 'http://harbour.example/en/item?id=8', '4907d19b441b20977946c7ad7878fd63', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:16.877262+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:16.877262+00'),
	(15, 1, 'http://harbour.example/files/dredging.pdf', '9117eeff71aca051a311409b8723031e', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:17.905504+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:17.905504+00'),
	(16, 1, 'http://harbour.example/files/notice.txt', 'e6536d4eca10aeb50cd7033f398f69fe', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:18.946205+00', '2026-03-02 08:00:03.601692+00', '2026-03-02 08:00:18.946205+00'),
	(17, 1, 'http://harbour.example/anchor.png', '03a18a73ef3e06ab414abeca9b13707e', 'harbour.example', 2, 'media', 'finished', 2, 1, 0, NULL, NULL, NULL, NULL, '2026-03-02 08:00:19.964967+00', '2026-03-02 08:00:09.717166+00', '2026-03-02 08:00:19.964967+00'),
	(18, 2, 'http://observatory.example/', 'f23e4a0ea17c85c9834efe115b1559b2', 'observatory.example', 0, 'page', 'finished', 0, 1, 0, NULL, NULL, NULL, NULL, '2026-03-03 10:00:04.783264+00', '2026-03-03 10:00:03.654707+00', '2026-03-03 10:00:04.783264+00'),
	(19, 2, 'http://observatory.example/style.css', '45d5dcb52d2847cbb8f02cc709fc12a3', 'observatory.example', 1, 'media', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-03 10:00:05.799278+00', '2026-03-03 10:00:04.783264+00', '2026-03-03 10:00:05.799278+00'),
	(20, 2, 'http://observatory.example/gauges', '10fb8e39206760ef172d8207efbd33e3', 'observatory.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-03 10:00:06.823266+00', '2026-03-03 10:00:04.783264+00', '2026-03-03 10:00:06.823266+00'),
	(21, 2, 'http://observatory.example/fr/m%C3%A9t%C3%A9o', 'de26e878defbf53cefb98efc47862ef1', 'observatory.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-03 10:00:07.846714+00', '2026-03-03 10:00:04.783264+00', '2026-03-03 10:00:07.846714+00'),
	(22, 2, 'http://observatory.example/private/log', 'd380d86a4f2522748b28cb4bb7aad6e9', 'observatory.example', 1, 'page', 'error', 1, 1, 0, 'http://observatory.example/private/log: robots.txt does not allow it', NULL, NULL, NULL, '2026-03-03 10:00:08.860963+00', '2026-03-03 10:00:04.783264+00', '2026-03-03 10:00:08.860963+00'),
	(23, 2, 'http://observatory.example/en/ferry', 'b04c65f472c628376b5c4dac5faf7233', 'observatory.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-03-03 10:00:08.887247+00', '2026-03-03 10:00:04.783264+00', '2026-03-03 10:00:08.887247+00'),
	(24, 3, 'http://harbour.example/', '0ee46fe9b3fe7033ee605d3367e091a3', 'harbour.example', 0, 'page', 'finished', 0, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:03.028398+00', '2026-06-01 08:00:04.092693+00'),
	(25, 3, 'http://harbour.example/style.css', 'fb1226ee629bdd148413cf607795add4', 'harbour.example', 1, 'media', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:05.107271+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:05.107271+00'),
	(26, 3, 'http://harbour.example/en/ferries', '77661b73730d4e13c923b3421d879e81', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:06.143249+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:06.143249+00'),
	(27, 3, 'http://harbour.example/fr/traversiers', 'da4d5cbbc841cb982c0940bd7e595d32', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:07.167253+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:07.167253+00'),
	(28, 3, 'http://harbour.example/en/tides', 'f894dab911670f4eedbf459beb4e37a3', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:08.180511+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:08.180511+00'),
	(29, 3, 'http://harbour.example/fr/marees', 'a58636f29bc2d9d08f591fbed8a918ce', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:09.194307+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:09.194307+00'),
	(30, 3, 'http://harbour.example/en/anchor', 'aa91e989934635ce3564c435af1a7738', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:10.219392+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:10.219392+00'),
	(31, 3, 'http://harbour.example/fr/ancien', '9eb809d2ab67cb768c987ddf421843fe', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:11.267263+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:11.267263+00'),
	(32, 3, 'http://harbour.example/en/news', '1419fe51b5f32a34a0bcb351b76e1ab7', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:12.289611+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:12.289611+00'),
	(33, 3, 'http://harbour.example/en/contact', '3b2ed126204ef7a48a27bceb2af5536a', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:13.320957+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:13.320957+00'),
	(34, 3, 'http://harbour.example/en/old-ferries', 'f13218a139baadf9bc959ef3af42b4ca', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:14.341135+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:14.341135+00'),
	(35, 3, 'http://harbour.example/en/winter', 'dc017a367dfb162d98158ad471dac097', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:15.358349+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:15.358349+00'),
	(36, 3, 'http://harbour.example/en/item?id=7', '9a4b6ae5cdf05b6b9301119837acce46', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:16.379371+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:16.379371+00'),
	(37, 3, 'http://harbour.example/en/item?id=8', '4907d19b441b20977946c7ad7878fd63', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:17.415469+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:17.415469+00'),
	(38, 3, 'http://harbour.example/files/dredging.pdf', '9117eeff71aca051a311409b8723031e', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:18.438636+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:18.438636+00'),
	(39, 3, 'http://harbour.example/files/notice.txt', 'e6536d4eca10aeb50cd7033f398f69fe', 'harbour.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:19.471642+00', '2026-06-01 08:00:04.092693+00', '2026-06-01 08:00:19.471642+00'),
	(40, 3, 'http://harbour.example/en/bridge', 'bb28d3cd92ad24722e92d5a8d28355f7', 'harbour.example', 2, 'page', 'finished', 2, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:20.492066+00', '2026-06-01 08:00:06.143249+00', '2026-06-01 08:00:20.492066+00'),
	(41, 3, 'http://harbour.example/anchor.png', '03a18a73ef3e06ab414abeca9b13707e', 'harbour.example', 2, 'media', 'finished', 2, 1, 0, NULL, NULL, NULL, NULL, '2026-06-01 08:00:21.507542+00', '2026-06-01 08:00:10.219392+00', '2026-06-01 08:00:21.507542+00'),
	(42, 4, 'http://lighthouse.example/', '74ed28cf58f412fb53210af32719bdb9', 'lighthouse.example', 0, 'page', 'finished', 0, 1, 0, NULL, NULL, NULL, NULL, '2026-07-06 12:00:01.89737+00', '2026-07-06 12:00:00.842877+00', '2026-07-06 12:00:01.89737+00'),
	(43, 4, 'http://lighthouse.example/style.css', 'd11781a2593d24e9572f562b8e3e2bc6', 'lighthouse.example', 1, 'media', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-07-06 12:00:02.900598+00', '2026-07-06 12:00:01.89737+00', '2026-07-06 12:00:02.900598+00'),
	(44, 4, 'http://lighthouse.example/keeper', 'f37a3f14f7963d29d433ffbacad631f8', 'lighthouse.example', 1, 'page', 'finished', 1, 1, 0, NULL, NULL, NULL, NULL, '2026-07-06 12:00:03.939809+00', '2026-07-06 12:00:01.89737+00', '2026-07-06 12:00:03.939809+00'),
	(45, 4, 'http://lighthouse.example/stairs', '5c4db8b03aa656070e1415ccfae69e09', 'lighthouse.example', 1, 'page', 'pending', 1, 0, 0, NULL, NULL, NULL, NULL, '2026-07-06 12:00:01.89737+00', '2026-07-06 12:00:01.89737+00', '2026-07-06 12:00:04.978843+00');

INSERT INTO public.document_words VALUES
	(1, '''7'':42 ''8'':46 ''=gull'':3A ''=harbour'':1A ''=of'':2A ''=rock'':4A ''@example'':8B ''@harbour'':7B ''@https'':6B ''anchor'':27 ''ancien'':29 ''contact'':33 ''dredging'':48 ''en'':18,22,26,30,32,34,37,39,43 ''example'':8B ''ferries'':19,36 ''files'':47,50 ''fr'':20,24,28 ''gull'':3A,12 ''harbour'':1A,7B,10,17 ''https'':6B ''id'':41,45 ''item'':40,44 ''marees'':25 ''news'':31 ''notice'':51 ''of'':2A,11 ''old'':35 ''pdf'':49 ''rock'':4A,13 ''the'':16 ''tides'':23 ''to'':15 ''traversiers'':21 ''txt'':52 ''welcome'':14 ''winter'':38'),
	(2, '''=ferry'':1A ''=timetable'':2A ''@en'':7B ''@example'':6B ''@ferries'':8B ''@harbour'':5B ''@https'':4B ''at'':18 ''dogs'':20 ''eight'':19 ''en'':7B ''example'':6B ''ferries'':8B ''ferry'':1A,10,13 ''free'':22 ''harbour'':5B ''home'':23 ''https'':4B ''islands'':16 ''leaves'':17 ''the'':12,15 ''timetable'':2A,11 ''to'':14 ''travel'':21'),
	(3, '''=des'':2A ''=horaire'':1A ''=traversiers'':3A ''@example'':7B ''@fr'':8B ''@harbour'':6B ''@https'':5B ''@traversiers'':9B ''a'':19 ''d'':16 ''des'':2A,12 ''en'':22 ''ete'':17 ''example'':7B ''ferries'':23 ''fr'':8B ''harbour'':6B ''heures'':21 ''home'':24 ''horaire'':1A,11 ''https'':5B ''huit'':20 ''le'':14 ''part'':18 ''traversier'':15 ''traversiers'':3A,9B,13'),
	(4, '''=tables'':2A ''=tide'':1A ''@en'':7B ''@example'':6B ''@harbour'':5B ''@https'':4B ''@tides'':8B ''at'':14,18 ''en'':7B ''example'':6B ''fr'':23 ''harbour'':5B ''high'':12 ''home'':22 ''https'':4B ''is'':17 ''marees'':24 ''noon'':19 ''on'':20 ''pier'':16 ''tables'':2A,11 ''the'':15 ''tide'':1A,10 ''tides'':8B ''tuesday'':21 ''water'':13'),
	(5, '''=des'':2A ''=marees'':3A ''=table'':1A ''@example'':7B ''@fr'':8B ''@harbour'':6B ''@https'':5B ''@marees'':9B ''a'':18,20,36 ''basse'':27 ''coeur'':32 ''cote'':21 ''de'':22 ''decouvre'':28 ''des'':2A,12 ''du'':33 ''en'':38 ''est'':17 ''estran'':30 ''example'':7B ''flot'':37 ''fr'':8B ''harbour'':6B ''https'':5B ''jetee'':24 ''l'':29 ''la'':14,23,25 ''le'':31 ''maree'':26 ''marees'':3A,9B,13 ''mer'':16 ''midi'':19 ''pleine'':15 ''port'':34 ''reste'':35 ''table'':1A,11 ''tides'':39'),
	(6, '''=anchor'':3A ''=old'':2A ''=the'':1A ''@anchor'':9B ''@en'':8B ''@example'':7B ''@harbour'':6B ''@https'':5B ''anchor'':3A,9B,13,16,26 ''bed'':22 ''by'':23 ''divers'':24 ''en'':8B ''example'':7B ''from'':19 ''harbour'':6B ''https'':5B ''old'':2A,12,15 ''raised'':18 ''sea'':21 ''the'':1A,11,14,20,25 ''was'':17'),
	(7, '''=chateau'':3A ''=le'':1A ''=vieux'':2A ''@ancien'':9B ''@example'':7B ''@fr'':8B ''@harbour'':6B ''@https'':5B ''ancien'':9B ''chateau'':3A,13,15 ''chenal'':22 ''donnent'':25 ''du'':21 ''entree'':20 ''example'':7B ''fenetres'':24 ''foret'':28 ''fort'':16 ''fr'':8B ''gardait'':17 ''harbour'':6B ''https'':5B ''jadis'':18 ''l'':19 ''la'':27 ''le'':1A,11,14 ''ses'':23 ''sur'':26 ''vieux'':2A,12'),
	(8, '''=harbour'':1A ''=news'':2A ''@en'':7B ''@example'':6B ''@harbour'':5B ''@https'':4B ''@news'':8B ''a'':21 ''at'':25 ''begins'':18 ''channel'':17 ''dredging'':13 ''en'':7B ''example'':6B ''harbour'':1A,5B,10 ''https'':4B ''in'':19 ''may'':20 ''news'':2A,8B,11 ''north'':16 ''of'':14 ''quay'':27 ''seen'':24 ''the'':12,15,26 ''walrus'':22 ''was'':23'),
	(9, '''=contact'':1A ''@contact'':7B ''@en'':6B ''@example'':5B ''@harbour'':4B ''@https'':3B ''call'':16 ''contact'':1A,7B,9 ''en'':6B ''example'':5B ''harbour'':4B,13 ''https'':3B ''master'':14 ''office'':18 ''on'':19 ''or'':15 ''the'':12,17 ''to'':11 ''weekdays'':20 ''write'':10'),
	(10, '''=closing'':2A ''=winter'':1A ''@en'':7B ''@example'':6B ''@harbour'':5B ''@https'':4B ''@winter'':8B ''by'':16 ''closed'':15 ''closing'':2A,11 ''december'':19 ''en'':7B ''example'':6B ''from'':18 ''harbour'':5B ''https'':4B ''ice'':17 ''is'':14 ''on'':20 ''slipway'':13 ''the'':12 ''winter'':1A,8B,10'),
	(11, '''1871'':19 ''7'':10B ''=item'':1A ''=seven'':2A ''@7'':10B ''@en'':7B ''@example'':6B ''@harbour'':5B ''@https'':4B ''@id'':9B ''@item'':8B ''a'':14 ''brass'':15 ''en'':7B ''example'':6B ''harbour'':5B ''https'':4B ''id'':9B ''in'':18 ''item'':1A,8B,12 ''made'':17 ''seven'':2A,13 ''sextant'':16'),
	(12, '''8'':10B ''=eight'':2A ''=item'':1A ''@8'':10B ''@en'':7B ''@example'':6B ''@harbour'':5B ''@https'':4B ''@id'':9B ''@item'':8B ''a'':14 ''barometer'':16 ''eight'':2A,13 ''en'':7B ''example'':6B ''gift'':17 ''harbour'':5B ''https'':4B ''id'':9B ''item'':1A,8B,12 ''of'':18 ''pilots'':20 ''the'':19 ''wooden'':15'),
	(13, '''=dredging'':1A ''=report'':2A ''@dredging'':8B ''@example'':6B ''@files'':7B ''@harbour'':5B ''@https'':4B ''@pdf'':9B ''autumn'':22 ''channel'':18 ''dredging'':1A,8B,11 ''example'':6B ''files'':7B ''harbour'':5B ''https'':4B ''in'':21 ''north'':17 ''of'':15 ''pdf'':9B ''report'':2A,12 ''sediment'':14 ''surveyed'':20 ''the'':13,16 ''was'':19'),
	(14, '''=mariners'':3A ''=notice'':1A ''=to'':2A ''@example'':7B ''@files'':8B ''@harbour'':6B ''@https'':5B ''@notice'':9B ''@txt'':10B ''at'':18 ''buoy'':17 ''example'':7B ''files'':8B ''further'':24 ''gull'':19 ''harbour'':6B ''https'':5B ''is'':21 ''mariners'':3A,14 ''notice'':1A,9B,12,25 ''red'':16 ''rock'':20 ''the'':15 ''to'':2A,13 ''txt'':10B ''unlit'':22 ''until'':23'),
	(15, '''=observatory'':1A ''@example'':5B ''@https'':3B ''@observatory'':4B ''and'':10 ''en'':17 ''example'':5B ''ferry'':18 ''fr'':13 ''gauges'':9,12 ''https'':3B ''log'':16 ''meteo'':14 ''observatory'':1A,4B,7 ''private'':15 ''tide'':8 ''weather'':11'),
	(16, '''=gauges'':1A ''@example'':5B ''@gauges'':6B ''@https'':3B ''@observatory'':4B ''at'':11 ''centimetres'':15 ''counts'':14 ''example'':5B ''gauge'':10 ''gauges'':1A,6B,8 ''high'':17 ''home'':19 ''https'':3B ''observatory'':4B ''of'':16 ''pier'':13 ''the'':9,12 ''water'':18'),
	(17, '''=marine'':2A ''=meteo'':1A ''@a9o'':12B ''@a9t'':10B ''@c3'':9B,11B ''@example'':6B ''@fr'':7B ''@https'':4B ''@m'':8B ''@observatory'':5B ''a9o'':12B ''a9t'':10B ''c3'':9B,11B ''coup'':16 ''de'':17 ''des'':21 ''example'':6B ''forte'':24 ''fr'':7B ''home'':25 ''https'':4B ''iles'':22 ''m'':8B ''marine'':2A,15 ''mer'':23 ''meteo'':1A,14 ''observatory'':5B ''pres'':20 ''prevu'':19 ''vent'':18'),
	(18, '''=and'':2A ''=ferry'':4A ''=the'':3A ''=wind'':1A ''@en'':9B ''@example'':8B ''@ferry'':10B ''@https'':6B ''@observatory'':7B ''a'':17 ''and'':2A,13 ''en'':9B ''example'':8B ''ferry'':4A,10B,15,20 ''gale'':18 ''home'':25 ''https'':6B ''in'':16 ''islands'':24 ''no'':19 ''observatory'':7B ''sails'':21 ''the'':3A,14,23 ''to'':22 ''wind'':1A,12'),
	(19, '''=ferry'':1A ''=timetable'':2A ''@en'':7B ''@example'':6B ''@ferries'':8B ''@harbour'':5B ''@https'':4B ''a'':22 ''april'':25 ''at'':18 ''bridge'':29 ''dogs'':20 ''en'':7B,28 ''example'':6B ''ferries'':8B ''ferry'':1A,10,13 ''from'':24 ''harbour'':5B ''home'':27 ''https'':4B ''islands'':16 ''leaves'':17 ''need'':21 ''nine'':19 ''on'':26 ''the'':12,15 ''ticket'':23 ''timetable'':2A,11 ''to'':14'),
	(20, '''=des'':2A ''=horaire'':1A ''=traversiers'':3A ''@example'':7B ''@fr'':8B ''@harbour'':6B ''@https'':5B ''@traversiers'':9B ''a'':19 ''d'':16 ''des'':2A,12 ''en'':22 ''ete'':17 ''example'':7B ''ferries'':23 ''fr'':8B ''harbour'':6B ''heures'':21 ''home'':24 ''horaire'':1A,11 ''https'':5B ''le'':14 ''neuf'':20 ''part'':18 ''traversier'':15 ''traversiers'':3A,9B,13'),
	(21, '''=found'':3A ''=not'':2A ''=page'':1A ''@en'':8B ''@example'':7B ''@harbour'':6B ''@https'':5B ''@winter'':9B ''en'':8B ''example'':7B ''found'':3A,13 ''harbour'':6B,21 ''https'':5B ''in'':19 ''is'':15 ''no'':16 ''not'':2A,12 ''page'':1A,11,18 ''such'':17 ''the'':20 ''there'':14 ''winter'':9B'),
	(22, '''=bridge'':3A ''=swing'':2A ''=the'':1A ''@bridge'':9B ''@en'':8B ''@example'':7B ''@harbour'':6B ''@https'':5B ''a'':22 ''bridge'':3A,9B,13,16 ''day'':23 ''en'':8B ''example'':7B ''for'':18 ''harbour'':6B ''https'':5B ''opens'':17 ''ships'':20 ''swing'':2A,12,15 ''tall'':19 ''the'':1A,11,14 ''twice'':21'),
	(23, '''=lighthouse'':2A ''=the'':1A ''@example'':6B ''@https'':4B ''@lighthouse'':5B ''every'':16 ''example'':6B ''https'':4B ''keeper'':19 ''lamp'':11 ''lighthouse'':2A,5B,9,14 ''of'':12 ''seconds'':18 ''stairs'':20 ''ten'':17 ''the'':1A,8,10,13 ''turns'':15'),
	(24, '''1987'':16 ''=keeper'':2A ''=the'':1A ''@example'':6B ''@https'':4B ''@keeper'':7B ''@lighthouse'':5B ''example'':6B ''home'':17 ''https'':4B ''in'':15 ''keeper'':2A,7B,10,13 ''last'':12 ''left'':14 ''lighthouse'':5B ''the'':1A,9,11'),
	(25, '''=de'':2A ''=la'':3A ''=mer'':4A ''=musee'':1A ''@example'':8B ''@https'':6B ''@museum'':7B ''anciennes'':22 ''cartes'':21 ''de'':2A,11 ''des'':20 ''et'':19 ''example'':8B ''https'':6B ''la'':3A,12 ''le'':14 ''mer'':4A,13 ''montre'':16 ''musee'':1A,10,15 ''museum'':7B ''scaphandre'':18 ''un'':17'),
	(26, '''=des'':3A ''=la'':1A ''=phares'':4A ''=salle'':2A ''@example'':8B ''@https'':6B ''@museum'':7B ''@salle'':9B ''de'':17 ''des'':3A,13 ''deux'':20 ''example'':8B ''fresnel'':18 ''https'':6B ''la'':1A,11,15 ''lentille'':16 ''museum'':7B ''pese'':19 ''phares'':4A,14 ''salle'':2A,9B,12 ''tonnes'':21');

INSERT INTO public.documents VALUES
	(1, 'https://harbour.example/', '7c98cfb113df06c77cbb11f3317939a0', 'Harbour of Gull Rock', 'Harbour of Gull Rock
Welcome to the harbour.
en/ferries
fr/traversiers
en/tides
fr/marees
en/anchor
fr/ancien
en/news
en/contact
en/old-ferries
en/winter
en/item?id=7
en/item?id=8
files/dredging.pdf
files/notice.txt', '''7'':42 ''8'':46 ''=gull'':3A ''=harbour'':1A ''=of'':2A ''=rock'':4A ''@example'':8B ''@harbour'':7B ''@https'':6B ''anchor'':27 ''ancien'':29 ''contact'':33 ''dredging'':48 ''en'':18,22,26,30,32,34,37,39,43 ''example'':8B ''ferries'':19,36 ''files'':47,50 ''fr'':20,24,28 ''gull'':3A,12 ''harbour'':1A,7B,10,17 ''https'':6B ''id'':41,45 ''item'':40,44 ''marees'':25 ''news'':31 ''notice'':51 ''of'':2A,11 ''old'':35 ''pdf'':49 ''rock'':4A,13 ''the'':16 ''tides'':23 ''to'':15 ''traversiers'':21 ''txt'':52 ''welcome'':14 ''winter'':38', '1pLLLLLLLLLLLLLL', NULL),
	(2, 'https://harbour.example/en/ferries', 'e348d4b07a37dbce99e1844bfc79ecb9', 'Ferry timetable', 'Ferry timetable
The ferry to the islands leaves at eight.
Dogs travel free.
home', '''=ferry'':1A ''=timetable'':2A ''@en'':7B ''@example'':6B ''@ferries'':8B ''@harbour'':5B ''@https'':4B ''at'':18 ''dogs'':20 ''eight'':19 ''en'':7B ''example'':6B ''ferries'':8B ''ferry'':1A,10,13 ''free'':22 ''harbour'':5B ''home'':23 ''https'':4B ''islands'':16 ''leaves'':17 ''the'':12,15 ''timetable'':2A,11 ''to'':14 ''travel'':21', '1ppL', NULL),
	(3, 'https://harbour.example/fr/traversiers', '397a4f081a461c3a91ca23c0c3cb0bb8', 'Horaire des traversiers', 'Horaire des traversiers
Le traversier d’été part à huit heures.
en/ferries
home', '''=des'':2A ''=horaire'':1A ''=traversiers'':3A ''@example'':7B ''@fr'':8B ''@harbour'':6B ''@https'':5B ''@traversiers'':9B ''a'':19 ''d'':16 ''des'':2A,12 ''en'':22 ''ete'':17 ''example'':7B ''ferries'':23 ''fr'':8B ''harbour'':6B ''heures'':21 ''home'':24 ''horaire'':1A,11 ''https'':5B ''huit'':20 ''le'':14 ''part'':18 ''traversier'':15 ''traversiers'':3A,9B,13', '1pLL', NULL),
	(4, 'https://harbour.example/en/tides', 'c1477dd02473688ca504d45d2e792a74', 'Tide tables', 'Tide tables
High water at the pier is at noon on Tuesday.
home
fr/marees', '''=tables'':2A ''=tide'':1A ''@en'':7B ''@example'':6B ''@harbour'':5B ''@https'':4B ''@tides'':8B ''at'':14,18 ''en'':7B ''example'':6B ''fr'':23 ''harbour'':5B ''high'':12 ''home'':22 ''https'':4B ''is'':17 ''marees'':24 ''noon'':19 ''on'':20 ''pier'':16 ''tables'':2A,11 ''the'':15 ''tide'':1A,10 ''tides'':8B ''tuesday'':21 ''water'':13', '1pLL', NULL),
	(5, 'https://harbour.example/fr/marees', '0cbec8671b993f511853c521c2c61289', 'Table des marées', 'Table des marées
La pleine mer est à midi à côté de la jetée ; la marée basse découvre l’estran.
Le cœur du port reste à flot.
en/tides', '''=des'':2A ''=marees'':3A ''=table'':1A ''@example'':7B ''@fr'':8B ''@harbour'':6B ''@https'':5B ''@marees'':9B ''a'':18,20,36 ''basse'':27 ''coeur'':32 ''cote'':21 ''de'':22 ''decouvre'':28 ''des'':2A,12 ''du'':33 ''en'':38 ''est'':17 ''estran'':30 ''example'':7B ''flot'':37 ''fr'':8B ''harbour'':6B ''https'':5B ''jetee'':24 ''l'':29 ''la'':14,23,25 ''le'':31 ''maree'':26 ''marees'':3A,9B,13 ''mer'':16 ''midi'':19 ''pleine'':15 ''port'':34 ''reste'':35 ''table'':1A,11 ''tides'':39', '1ppL', 4816952714686618997),
	(6, 'https://harbour.example/en/anchor', '593e4f252eadcc9622150f0ce88f9157', 'The old anchor', 'The old anchor
The old anchor was raised from the sea bed by divers.
The anchor', '''=anchor'':3A ''=old'':2A ''=the'':1A ''@anchor'':9B ''@en'':8B ''@example'':7B ''@harbour'':6B ''@https'':5B ''anchor'':3A,9B,13,16,26 ''bed'':22 ''by'':23 ''divers'':24 ''en'':8B ''example'':7B ''from'':19 ''harbour'':6B ''https'':5B ''old'':2A,12,15 ''raised'':18 ''sea'':21 ''the'':1A,11,14,20,25 ''was'':17', '1po', 8073730734118877067),
	(7, 'https://harbour.example/fr/ancien', '6cdfe8b7f29e561ee8a36e1f9c829c07', 'Le vieux château', 'Le vieux château
Le château fort gardait jadis l''entrée du chenal ; ses fenêtres donnent sur la forêt.', '''=chateau'':3A ''=le'':1A ''=vieux'':2A ''@ancien'':9B ''@example'':7B ''@fr'':8B ''@harbour'':6B ''@https'':5B ''ancien'':9B ''chateau'':3A,13,15 ''chenal'':22 ''donnent'':25 ''du'':21 ''entree'':20 ''example'':7B ''fenetres'':24 ''foret'':28 ''fort'':16 ''fr'':8B ''gardait'':17 ''harbour'':6B ''https'':5B ''jadis'':18 ''l'':19 ''la'':27 ''le'':1A,11,14 ''ses'':23 ''sur'':26 ''vieux'':2A,12', '1p', 654491993645858884),
	(8, 'https://harbour.example/en/news', '37a2fa52465675b62b7dcf0549bcb48e', 'Harbour news', 'Harbour news
The dredging of the north channel begins in May.
A walrus was seen at the quay.', '''=harbour'':1A ''=news'':2A ''@en'':7B ''@example'':6B ''@harbour'':5B ''@https'':4B ''@news'':8B ''a'':21 ''at'':25 ''begins'':18 ''channel'':17 ''dredging'':13 ''en'':7B ''example'':6B ''harbour'':1A,5B,10 ''https'':4B ''in'':19 ''may'':20 ''news'':2A,8B,11 ''north'':16 ''of'':14 ''quay'':27 ''seen'':24 ''the'':12,15,26 ''walrus'':22 ''was'':23', '1pp', -2881066874813999099),
	(9, 'https://harbour.example/en/contact', 'f2b294f70805cd6d25b1631a12ce73f8', 'Contact', 'Contact
Write to the harbour master, or call the office on weekdays.', '''=contact'':1A ''@contact'':7B ''@en'':6B ''@example'':5B ''@harbour'':4B ''@https'':3B ''call'':16 ''contact'':1A,7B,9 ''en'':6B ''example'':5B ''harbour'':4B,13 ''https'':3B ''master'':14 ''office'':18 ''on'':19 ''or'':15 ''the'':12,17 ''to'':11 ''weekdays'':20 ''write'':10', '1p', NULL),
	(10, 'https://harbour.example/en/winter', '4159975905480fbc73208d53cad51ca6', 'Winter closing', 'Winter closing
The slipway is closed by ice from December on.', '''=closing'':2A ''=winter'':1A ''@en'':7B ''@example'':6B ''@harbour'':5B ''@https'':4B ''@winter'':8B ''by'':16 ''closed'':15 ''closing'':2A,11 ''december'':19 ''en'':7B ''example'':6B ''from'':18 ''harbour'':5B ''https'':4B ''ice'':17 ''is'':14 ''on'':20 ''slipway'':13 ''the'':12 ''winter'':1A,8B,10', '1p', NULL),
	(11, 'https://harbour.example/en/item?id=7', 'dd22efa383d794f2b847977339b27257', 'Item seven', 'Item seven
A brass sextant, made in 1871.', '''1871'':19 ''7'':10B ''=item'':1A ''=seven'':2A ''@7'':10B ''@en'':7B ''@example'':6B ''@harbour'':5B ''@https'':4B ''@id'':9B ''@item'':8B ''a'':14 ''brass'':15 ''en'':7B ''example'':6B ''harbour'':5B ''https'':4B ''id'':9B ''in'':18 ''item'':1A,8B,12 ''made'':17 ''seven'':2A,13 ''sextant'':16', '1p', NULL),
	(12, 'https://harbour.example/en/item?id=8', '9bb7941974cd47dbbab4d557e271bd42', 'Item eight', 'Item eight
A wooden barometer, gift of the pilots.', '''8'':10B ''=eight'':2A ''=item'':1A ''@8'':10B ''@en'':7B ''@example'':6B ''@harbour'':5B ''@https'':4B ''@id'':9B ''@item'':8B ''a'':14 ''barometer'':16 ''eight'':2A,13 ''en'':7B ''example'':6B ''gift'':17 ''harbour'':5B ''https'':4B ''id'':9B ''item'':1A,8B,12 ''of'':18 ''pilots'':20 ''the'':19 ''wooden'':15', '1p', NULL),
	(13, 'https://harbour.example/files/dredging.pdf', '0e9f8b51a783b567700b5d4cd55c06ac', 'Dredging report', 'Dredging report
The sediment of the north channel was surveyed in autumn.', '''=dredging'':1A ''=report'':2A ''@dredging'':8B ''@example'':6B ''@files'':7B ''@harbour'':5B ''@https'':4B ''@pdf'':9B ''autumn'':22 ''channel'':18 ''dredging'':1A,8B,11 ''example'':6B ''files'':7B ''harbour'':5B ''https'':4B ''in'':21 ''north'':17 ''of'':15 ''pdf'':9B ''report'':2A,12 ''sediment'':14 ''surveyed'':20 ''the'':13,16 ''was'':19', 'oo', NULL),
	(14, 'https://harbour.example/files/notice.txt', 'bd074dd74cd2fa0c1dff4c5a1a178733', 'NOTICE TO MARINERS', 'NOTICE TO MARINERS
The red buoy at Gull Rock is unlit until further notice.', '''=mariners'':3A ''=notice'':1A ''=to'':2A ''@example'':7B ''@files'':8B ''@harbour'':6B ''@https'':5B ''@notice'':9B ''@txt'':10B ''at'':18 ''buoy'':17 ''example'':7B ''files'':8B ''further'':24 ''gull'':19 ''harbour'':6B ''https'':5B ''is'':21 ''mariners'':3A,14 ''notice'':1A,9B,12,25 ''red'':16 ''rock'':20 ''the'':15 ''to'':2A,13 ''txt'':10B ''unlit'':22 ''until'':23', 'cc', NULL),
	(15, 'https://observatory.example/', 'a213b135695db494396ceda79968b120', 'Observatory', 'Observatory
Tide gauges and weather.
gauges
fr/météo
private/log
en/ferry', '''=observatory'':1A ''@example'':5B ''@https'':3B ''@observatory'':4B ''and'':10 ''en'':17 ''example'':5B ''ferry'':18 ''fr'':13 ''gauges'':9,12 ''https'':3B ''log'':16 ''meteo'':14 ''observatory'':1A,4B,7 ''private'':15 ''tide'':8 ''weather'':11', '1pLLLL', NULL),
	(16, 'https://observatory.example/gauges', '53b72160acba1670c21e76ae2f09ebc9', 'Gauges', 'Gauges
The gauge at the pier counts centimetres of high water.
home', '''=gauges'':1A ''@example'':5B ''@gauges'':6B ''@https'':3B ''@observatory'':4B ''at'':11 ''centimetres'':15 ''counts'':14 ''example'':5B ''gauge'':10 ''gauges'':1A,6B,8 ''high'':17 ''home'':19 ''https'':3B ''observatory'':4B ''of'':16 ''pier'':13 ''the'':9,12 ''water'':18', '1pL', NULL),
	(17, 'https://observatory.example/fr/m%C3%A9t%C3%A9o', 'eb8712077ec76f6c7dfb30b8c1f760b5', 'Météo marine', 'Météo marine
Coup de vent prévu près des îles, mer forte.
home', '''=marine'':2A ''=meteo'':1A ''@a9o'':12B ''@a9t'':10B ''@c3'':9B,11B ''@example'':6B ''@fr'':7B ''@https'':4B ''@m'':8B ''@observatory'':5B ''a9o'':12B ''a9t'':10B ''c3'':9B,11B ''coup'':16 ''de'':17 ''des'':21 ''example'':6B ''forte'':24 ''fr'':7B ''home'':25 ''https'':4B ''iles'':22 ''m'':8B ''marine'':2A,15 ''mer'':23 ''meteo'':1A,14 ''observatory'':5B ''pres'':20 ''prevu'':19 ''vent'':18', '1pL', NULL),
	(18, 'https://observatory.example/en/ferry', '2bada9e5002c7408483719b0b2bf9929', 'Wind and the ferry', 'Wind and the ferry
In a gale no ferry sails to the islands.
home', '''=and'':2A ''=ferry'':4A ''=the'':3A ''=wind'':1A ''@en'':9B ''@example'':8B ''@ferry'':10B ''@https'':6B ''@observatory'':7B ''a'':17 ''and'':2A,13 ''en'':9B ''example'':8B ''ferry'':4A,10B,15,20 ''gale'':18 ''home'':25 ''https'':6B ''in'':16 ''islands'':24 ''no'':19 ''observatory'':7B ''sails'':21 ''the'':3A,14,23 ''to'':22 ''wind'':1A,12', '1pL', NULL),
	(19, 'https://harbour.example/en/ferries', '6c8d154128efa2f4426827502ff2d45c', 'Ferry timetable', 'Ferry timetable
The ferry to the islands leaves at nine.
Dogs need a ticket from April on.
home
en/bridge', '''=ferry'':1A ''=timetable'':2A ''@en'':7B ''@example'':6B ''@ferries'':8B ''@harbour'':5B ''@https'':4B ''a'':22 ''april'':25 ''at'':18 ''bridge'':29 ''dogs'':20 ''en'':7B,28 ''example'':6B ''ferries'':8B ''ferry'':1A,10,13 ''from'':24 ''harbour'':5B ''home'':27 ''https'':4B ''islands'':16 ''leaves'':17 ''need'':21 ''nine'':19 ''on'':26 ''the'':12,15 ''ticket'':23 ''timetable'':2A,11 ''to'':14', '1ppLL', 804493746822223368),
	(20, 'https://harbour.example/fr/traversiers', 'af3acf545ead4c42f9984be8a8db4585', 'Horaire des traversiers', 'Horaire des traversiers
Le traversier d’été part à neuf heures.
en/ferries
home', '''=des'':2A ''=horaire'':1A ''=traversiers'':3A ''@example'':7B ''@fr'':8B ''@harbour'':6B ''@https'':5B ''@traversiers'':9B ''a'':19 ''d'':16 ''des'':2A,12 ''en'':22 ''ete'':17 ''example'':7B ''ferries'':23 ''fr'':8B ''harbour'':6B ''heures'':21 ''home'':24 ''horaire'':1A,11 ''https'':5B ''le'':14 ''neuf'':20 ''part'':18 ''traversier'':15 ''traversiers'':3A,9B,13', '1pLL', NULL),
	(21, 'https://harbour.example/en/winter', '511acc5449fc562905ce45c1d2c52ecb', 'Page not found', 'Page not found
There is no such page in the harbour.', '''=found'':3A ''=not'':2A ''=page'':1A ''@en'':8B ''@example'':7B ''@harbour'':6B ''@https'':5B ''@winter'':9B ''en'':8B ''example'':7B ''found'':3A,13 ''harbour'':6B,21 ''https'':5B ''in'':19 ''is'':15 ''no'':16 ''not'':2A,12 ''page'':1A,11,18 ''such'':17 ''the'':20 ''there'':14 ''winter'':9B', '1p', NULL),
	(22, 'https://harbour.example/en/bridge', 'd1fd6b16108a0119aad0f2ff8c464863', 'The swing bridge', 'The swing bridge
The swing bridge opens for tall ships twice a day.', '''=bridge'':3A ''=swing'':2A ''=the'':1A ''@bridge'':9B ''@en'':8B ''@example'':7B ''@harbour'':6B ''@https'':5B ''a'':22 ''bridge'':3A,9B,13,16 ''day'':23 ''en'':8B ''example'':7B ''for'':18 ''harbour'':6B ''https'':5B ''opens'':17 ''ships'':20 ''swing'':2A,12,15 ''tall'':19 ''the'':1A,11,14 ''twice'':21', '1p', NULL),
	(23, 'https://lighthouse.example/', '4c361dd523eb223e95b13358bc6b25b9', 'The lighthouse', 'The lighthouse
The lamp of the lighthouse turns every ten seconds.
keeper
stairs', '''=lighthouse'':2A ''=the'':1A ''@example'':6B ''@https'':4B ''@lighthouse'':5B ''every'':16 ''example'':6B ''https'':4B ''keeper'':19 ''lamp'':11 ''lighthouse'':2A,5B,9,14 ''of'':12 ''seconds'':18 ''stairs'':20 ''ten'':17 ''the'':1A,8,10,13 ''turns'':15', '1pLL', NULL),
	(24, 'https://lighthouse.example/keeper', 'b16c629167b72aa82dc2a8b3c725015a', 'The keeper', 'The keeper
The last keeper left in 1987.
home', '''1987'':16 ''=keeper'':2A ''=the'':1A ''@example'':6B ''@https'':4B ''@keeper'':7B ''@lighthouse'':5B ''example'':6B ''home'':17 ''https'':4B ''in'':15 ''keeper'':2A,7B,10,13 ''last'':12 ''left'':14 ''lighthouse'':5B ''the'':1A,9,11', '1pL', NULL),
	(25, 'https://museum.example/', 'c26bb3356181d61d113e8c046d153c0d', 'Musée de la mer', 'Musée de la mer
Le musée montre un scaphandre et des cartes anciennes.', '''=de'':2A ''=la'':3A ''=mer'':4A ''=musee'':1A ''@example'':8B ''@https'':6B ''@museum'':7B ''anciennes'':22 ''cartes'':21 ''de'':2A,11 ''des'':20 ''et'':19 ''example'':8B ''https'':6B ''la'':3A,12 ''le'':14 ''mer'':4A,13 ''montre'':16 ''musee'':1A,10,15 ''museum'':7B ''scaphandre'':18 ''un'':17', '1p', NULL),
	(26, 'https://museum.example/salle', 'a46ccfa76057040f757f43b07d9ceb05', 'La salle des phares', 'La salle des phares
La lentille de Fresnel pèse deux tonnes.', '''=des'':3A ''=la'':1A ''=phares'':4A ''=salle'':2A ''@example'':8B ''@https'':6B ''@museum'':7B ''@salle'':9B ''de'':17 ''des'':3A,13 ''deux'':20 ''example'':8B ''fresnel'':18 ''https'':6B ''la'':1A,11,15 ''lentille'':16 ''museum'':7B ''pese'':19 ''phares'':4A,14 ''salle'':2A,9B,12 ''tonnes'':21', '1p', NULL);

INSERT INTO public.host_permits VALUES
	('lighthouse.example', 0, 'archive:15807:90b4e7da', NULL, '2026-07-06 12:00:05.976034+00');

INSERT INTO public.issue_reports VALUES
	(1, 'broken_snapshot', 'The picture of the anchor is missing – où est-elle ?', 6, 'http://harbour.example/en/anchor', 'reader@example.org', NULL, 'triaged', 'The picture is an asset of the page.', '2026-07-07 12:00:03.736689+00', '2026-07-07 12:00:03.89488+00');

INSERT INTO public.operation_counts VALUES
	('host_turn_waits', 48),
	('host_turn_wait_ms', 4371);

INSERT INTO public.page_signals VALUES
	(1, 'https://harbour.example/', 19, 3, 14, 0.07795624747719256, 3.7947766361017354, -0.0046857374385438355, '2026-07-07 09:00:01.517054+00'),
	(2, 'https://harbour.example/en/anchor', 24, 1, 0, 0.025401685855143918, 1.2365105699693628, -0.006113417063186102, '2026-07-07 09:00:01.517054+00'),
	(3, 'https://harbour.example/en/contact', 27, 1, 0, 0.025401685855143918, 1.2365105699693628, -0.006113417063186102, '2026-07-07 09:00:01.517054+00'),
	(4, 'https://harbour.example/en/ferries', 20, 2, 2, 0.03612692584171153, 1.7585968867782666, -0.002682741635110764, '2026-07-07 09:00:01.517054+00'),
	(5, 'https://harbour.example/en/item?id=7', 29, 1, 0, 0.025401685855143918, 1.2365105699693628, -0.006113417063186102, '2026-07-07 09:00:01.517054+00'),
	(6, 'https://harbour.example/en/item?id=8', 30, 1, 0, 0.025401685855143918, 1.2365105699693628, -0.006113417063186102, '2026-07-07 09:00:01.517054+00'),
	(7, 'https://harbour.example/en/news', 26, 1, 0, 0.025401685855143918, 1.2365105699693628, -0.006113417063186102, '2026-07-07 09:00:01.517054+00'),
	(8, 'https://harbour.example/en/old-ferries', NULL, 1, 0, 0, 0, 0.2303971529061767, '2026-06-01 08:02:01.807135+00'),
	(9, 'https://harbour.example/en/tides', 22, 2, 2, 0.07333479626537225, 3.5698123048128205, 0, '2026-07-07 09:00:01.517054+00'),
	(10, 'https://harbour.example/en/winter', 10, 1, 0, 0.025401685855143918, 1.2365105699693628, -0.006113417063186102, '2026-07-07 09:00:01.517054+00'),
	(11, 'https://harbour.example/files/dredging.pdf', 31, 1, 0, 0.025401685855143918, 1.2365105699693628, -0.006113417063186102, '2026-07-07 09:00:01.517054+00'),
	(12, 'https://harbour.example/files/notice.txt', 32, 1, 0, 0.025401685855143918, 1.2365105699693628, -0.006113417063186102, '2026-07-07 09:00:01.517054+00'),
	(13, 'https://harbour.example/fr/ancien', 25, 1, 0, 0.025401685855143918, 1.2365105699693628, -0.006113417063186102, '2026-07-07 09:00:01.517054+00'),
	(14, 'https://harbour.example/fr/marees', 23, 2, 1, 0.05653964538857282, 2.7522531198901694, -0.004685737438543792, '2026-07-07 09:00:01.517054+00'),
	(15, 'https://harbour.example/fr/traversiers', 21, 1, 2, 0.025401685855143918, 1.2365105699693628, -0.006113417063186102, '2026-07-07 09:00:01.517054+00'),
	(16, 'https://observatory.example/', 15, 3, 4, 0.15815692611739995, 7.698808337889376, 0, '2026-07-07 09:00:01.517054+00'),
	(17, 'https://observatory.example/en/ferry', 18, 1, 1, 0.05396622992739548, 2.6269836619174027, 0.009013109884089876, '2026-07-07 09:00:01.517054+00'),
	(18, 'https://observatory.example/fr/m%C3%A9t%C3%A9o', 17, 1, 1, 0.05396622992739548, 2.6269836619174027, 0.009013109884089876, '2026-07-07 09:00:01.517054+00'),
	(19, 'https://observatory.example/gauges', 16, 1, 1, 0.05396622992739548, 2.6269836619174027, 0.009013109884089876, '2026-07-07 09:00:01.517054+00'),
	(20, 'https://observatory.example/private/log', NULL, 1, 0, 0, 0, 1.635996771801492, '2026-03-03 10:00:10.650467+00'),
	(21, 'https://harbour.example/en/bridge', 33, 1, 0, 0.036077151657492514, 1.7561739647230379, -0.008770287842274405, '2026-07-07 09:00:01.517054+00'),
	(22, 'https://lighthouse.example/', 34, 1, 2, 0.05925876606435615, 2.88461525820657, 0, '2026-07-07 09:00:01.517054+00'),
	(23, 'https://lighthouse.example/keeper', 35, 1, 1, 0.04554791324919369, 2.2171944214194945, 0.008767063318297796, '2026-07-07 09:00:01.517054+00'),
	(24, 'https://lighthouse.example/stairs', NULL, 1, 0, 0, 0, 1.2259614847377924, '2026-07-06 12:00:05.35069+00'),
	(25, 'https://museum.example/', 36, 0, 0, 0.02054303980254152, 1, 0, '2026-07-07 09:00:01.517054+00'),
	(26, 'https://museum.example/salle', 37, 0, 0, 0.02054303980254152, 1, 0, '2026-07-07 09:00:01.517054+00');

INSERT INTO public.pages VALUES
	(1, 1, 'https://harbour.example/', '2026-03-02 08:00:03.588446+00', '2026-06-01 08:00:04.076938+00', 2, 19, 19, '2026-06-01 08:00:04.076938+00'),
	(2, 1, 'https://harbour.example/en/anchor', '2026-03-02 08:00:09.712319+00', '2026-06-01 08:00:10.214807+00', 2, 24, 24, '2026-06-01 08:00:10.214807+00'),
	(3, 1, 'https://harbour.example/en/contact', '2026-03-02 08:00:12.772901+00', '2026-06-01 08:00:13.315491+00', 2, 27, 27, '2026-06-01 08:00:13.315491+00'),
	(4, 1, 'https://harbour.example/en/ferries', '2026-03-02 08:00:05.626353+00', '2026-06-01 08:00:06.131481+00', 2, 20, 20, '2026-06-01 08:00:06.131481+00'),
	(5, 1, 'https://harbour.example/en/item?id=7', '2026-03-02 08:00:15.824106+00', '2026-06-01 08:00:16.373134+00', 2, 29, 29, '2026-06-01 08:00:16.373134+00'),
	(6, 1, 'https://harbour.example/en/item?id=8', '2026-03-02 08:00:16.873287+00', '2026-06-01 08:00:17.407564+00', 2, 30, 30, '2026-06-01 08:00:17.407564+00'),
	(7, 1, 'https://harbour.example/en/news', '2026-03-02 08:00:11.747049+00', '2026-06-01 08:00:12.285296+00', 2, 26, 26, '2026-06-01 08:00:12.285296+00'),
	(8, 1, 'https://harbour.example/en/tides', '2026-03-02 08:00:07.668097+00', '2026-06-01 08:00:08.176753+00', 2, 22, 22, '2026-06-01 08:00:08.176753+00'),
	(9, 1, 'https://harbour.example/en/winter', '2026-03-02 08:00:14.804597+00', '2026-06-01 08:00:15.354523+00', 2, 28, 10, '2026-03-02 08:00:14.804597+00'),
	(10, 1, 'https://harbour.example/files/dredging.pdf', '2026-03-02 08:00:17.897259+00', '2026-06-01 08:00:18.430273+00', 2, 31, 31, '2026-06-01 08:00:18.430273+00'),
	(11, 1, 'https://harbour.example/files/notice.txt', '2026-03-02 08:00:18.923735+00', '2026-06-01 08:00:19.458011+00', 2, 32, 32, '2026-06-01 08:00:19.458011+00'),
	(12, 1, 'https://harbour.example/fr/ancien', '2026-03-02 08:00:10.729685+00', '2026-06-01 08:00:11.259528+00', 2, 25, 25, '2026-06-01 08:00:11.259528+00'),
	(13, 1, 'https://harbour.example/fr/marees', '2026-03-02 08:00:08.690109+00', '2026-06-01 08:00:09.190149+00', 2, 23, 23, '2026-06-01 08:00:09.190149+00'),
	(14, 1, 'https://harbour.example/fr/traversiers', '2026-03-02 08:00:06.645345+00', '2026-06-01 08:00:07.159473+00', 2, 21, 21, '2026-06-01 08:00:07.159473+00'),
	(15, 3, 'https://observatory.example/', '2026-03-03 10:00:04.743621+00', '2026-03-03 10:00:04.743621+00', 1, 15, 15, '2026-03-03 10:00:04.743621+00'),
	(16, 3, 'https://observatory.example/en/ferry', '2026-03-03 10:00:08.87762+00', '2026-03-03 10:00:08.87762+00', 1, 18, 18, '2026-03-03 10:00:08.87762+00'),
	(17, 3, 'https://observatory.example/fr/m%C3%A9t%C3%A9o', '2026-03-03 10:00:07.840869+00', '2026-03-03 10:00:07.840869+00', 1, 17, 17, '2026-03-03 10:00:07.840869+00'),
	(18, 3, 'https://observatory.example/gauges', '2026-03-03 10:00:06.811575+00', '2026-03-03 10:00:06.811575+00', 1, 16, 16, '2026-03-03 10:00:06.811575+00'),
	(19, 1, 'https://harbour.example/en/bridge', '2026-06-01 08:00:20.482419+00', '2026-06-01 08:00:20.482419+00', 1, 33, 33, '2026-06-01 08:00:20.482419+00'),
	(20, 4, 'https://lighthouse.example/', '2026-07-06 12:00:01.879745+00', '2026-07-06 12:00:01.879745+00', 1, 34, 34, '2026-07-06 12:00:01.879745+00'),
	(21, 4, 'https://lighthouse.example/keeper', '2026-07-06 12:00:03.930939+00', '2026-07-06 12:00:03.930939+00', 1, 35, 35, '2026-07-06 12:00:03.930939+00'),
	(22, 2, 'https://museum.example/', '2019-05-04 10:00:01+00', '2019-05-04 10:00:01+00', 1, 36, 36, '2019-05-04 10:00:01+00'),
	(23, 2, 'https://museum.example/salle', '2019-05-04 10:00:02+00', '2019-05-04 10:00:02+00', 1, 37, 37, '2019-05-04 10:00:02+00');

INSERT INTO public.plugin_runs VALUES
	(1, 'page', '2', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(1, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(2, 'page', '2', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(2, 'media', '1', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(3, 'page', '2', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(3, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(4, 'page', '2', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(4, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(5, 'page', '2', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(5, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(6, 'page', '2', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(6, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(7, 'page', '2', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(7, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(8, 'page', '2', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(8, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(9, 'page', '2', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(9, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(10, 'page', '2', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(10, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(12, 'page', '2', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(12, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(13, 'page', '2', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(13, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(14, 'page', '2', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(14, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(15, 'page', '2', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(15, 'media', '1', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(16, 'page', '2', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(16, 'media', '1', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(17, 'page', '2', 'skipped', 1, 0, NULL, '2026-03-02 08:02:02.852948+00'),
	(17, 'media', '1', 'done', 1, 1, NULL, '2026-03-02 08:02:02.852948+00'),
	(18, 'page', '2', 'done', 1, 1, NULL, '2026-03-03 10:00:10.718041+00'),
	(18, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-03 10:00:10.718041+00'),
	(19, 'page', '2', 'skipped', 1, 0, NULL, '2026-03-03 10:00:10.718041+00'),
	(19, 'media', '1', 'done', 1, 1, NULL, '2026-03-03 10:00:10.718041+00'),
	(20, 'page', '2', 'done', 1, 1, NULL, '2026-03-03 10:00:10.718041+00'),
	(20, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-03 10:00:10.718041+00'),
	(21, 'page', '2', 'done', 1, 1, NULL, '2026-03-03 10:00:10.718041+00'),
	(21, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-03 10:00:10.718041+00'),
	(22, 'page', '2', 'done', 1, 1, NULL, '2026-03-03 10:00:10.718041+00'),
	(22, 'media', '1', 'skipped', 1, 0, NULL, '2026-03-03 10:00:10.718041+00'),
	(23, 'page', '2', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(23, 'media', '1', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(24, 'page', '2', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(24, 'media', '1', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(25, 'page', '2', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(25, 'media', '1', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(26, 'page', '2', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(26, 'media', '1', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(27, 'page', '2', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(27, 'media', '1', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(28, 'page', '2', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(28, 'media', '1', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(29, 'page', '2', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(29, 'media', '1', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(30, 'page', '2', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(30, 'media', '1', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(31, 'page', '2', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(31, 'media', '1', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(32, 'page', '2', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(32, 'media', '1', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(35, 'page', '2', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(35, 'media', '1', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(36, 'page', '2', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(36, 'media', '1', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(37, 'page', '2', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(37, 'media', '1', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(38, 'page', '2', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(38, 'media', '1', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(39, 'page', '2', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(39, 'media', '1', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(40, 'page', '2', 'skipped', 1, 0, NULL, '2026-06-01 08:02:01.865364+00'),
	(40, 'media', '1', 'done', 1, 1, NULL, '2026-06-01 08:02:01.865364+00'),
	(41, 'page', '2', 'done', 1, 1, NULL, '2026-07-06 12:00:05.464982+00'),
	(41, 'media', '1', 'skipped', 1, 0, NULL, '2026-07-06 12:00:05.464982+00'),
	(42, 'page', '2', 'skipped', 1, 0, NULL, '2026-07-06 12:00:05.464982+00'),
	(42, 'media', '1', 'done', 1, 1, NULL, '2026-07-06 12:00:05.464982+00'),
	(43, 'page', '2', 'done', 1, 1, NULL, '2026-07-06 12:00:05.464982+00'),
	(43, 'media', '1', 'skipped', 1, 0, NULL, '2026-07-06 12:00:05.464982+00'),
	(44, 'page', '2', 'done', 1, 1, NULL, '2026-07-07 09:00:01.5932+00'),
	(44, 'media', '1', 'skipped', 1, 0, NULL, '2026-07-07 09:00:01.5932+00'),
	(45, 'page', '2', 'done', 1, 1, NULL, '2026-07-07 09:00:01.5932+00'),
	(45, 'media', '1', 'skipped', 1, 0, NULL, '2026-07-07 09:00:01.5932+00');

INSERT INTO public.search_entries VALUES
	(1, 1, 1, 1, '2026-03-02 08:00:03.588446+00', 0, 0, 0, 'en', 'html'),
	(2, 2, 4, 1, '2026-03-02 08:00:05.626353+00', 0, 0, 0, 'en', 'html'),
	(3, 3, 14, 1, '2026-03-02 08:00:06.645345+00', 0, 0, 0, 'fr', 'html'),
	(4, 4, 8, 1, '2026-03-02 08:00:07.668097+00', 0, 0, 0, 'en', 'html'),
	(5, 5, 13, 1, '2026-03-02 08:00:08.690109+00', 0, 0, 0, 'fr', 'html'),
	(6, 6, 2, 1, '2026-03-02 08:00:09.712319+00', 0, 0, 0, 'en', 'html'),
	(7, 7, 12, 1, '2026-03-02 08:00:10.729685+00', 0, 0, 0, 'fr', 'html'),
	(8, 8, 7, 1, '2026-03-02 08:00:11.747049+00', 0, 0, 0, 'en', 'html'),
	(9, 9, 3, 1, '2026-03-02 08:00:12.772901+00', 0, 0, 0, 'en', 'html'),
	(10, 10, 9, 1, '2026-03-02 08:00:14.804597+00', 0, 0, 0, 'en', 'html'),
	(11, 11, 5, 1, '2026-03-02 08:00:15.824106+00', 0, 0, 1, 'en', 'html'),
	(12, 12, 6, 1, '2026-03-02 08:00:16.873287+00', 0, 0, 1, 'en', 'html'),
	(13, 13, 10, 1, '2026-03-02 08:00:17.897259+00', 0, 0, 0, NULL, 'pdf'),
	(14, 14, 11, 1, '2026-03-02 08:00:18.923735+00', 0, 0, 0, NULL, 'text'),
	(15, 15, 15, 3, '2026-03-03 10:00:04.743621+00', 0, 0, 0, 'en', 'html'),
	(16, 16, 18, 3, '2026-03-03 10:00:06.811575+00', 0, 0, 0, 'en', 'html'),
	(17, 17, 17, 3, '2026-03-03 10:00:07.840869+00', 0, 0, 0, 'fr', 'html'),
	(18, 18, 16, 3, '2026-03-03 10:00:08.87762+00', 0, 0, 0, 'en', 'html'),
	(19, 1, 1, 1, '2026-06-01 08:00:04.076938+00', 0, 0, 0, 'en', 'html'),
	(20, 19, 4, 1, '2026-06-01 08:00:06.131481+00', 0, 0, 0, 'en', 'html'),
	(21, 20, 14, 1, '2026-06-01 08:00:07.159473+00', 0, 0, 0, 'fr', 'html'),
	(22, 4, 8, 1, '2026-06-01 08:00:08.176753+00', 0, 0, 0, 'en', 'html'),
	(23, 5, 13, 1, '2026-06-01 08:00:09.190149+00', 0, 0, 0, 'fr', 'html'),
	(24, 6, 2, 1, '2026-06-01 08:00:10.214807+00', 0, 0, 0, 'en', 'html'),
	(25, 7, 12, 1, '2026-06-01 08:00:11.259528+00', 0, 0, 0, 'fr', 'html'),
	(26, 8, 7, 1, '2026-06-01 08:00:12.285296+00', 0, 0, 0, 'en', 'html'),
	(27, 9, 3, 1, '2026-06-01 08:00:13.315491+00', 0, 0, 0, 'en', 'html'),
	(28, 21, 9, 1, '2026-06-01 08:00:15.354523+00', 3, 0, 0, 'en', 'html'),
	(29, 11, 5, 1, '2026-06-01 08:00:16.373134+00', 0, 0, 1, 'en', 'html'),
	(30, 12, 6, 1, '2026-06-01 08:00:17.407564+00', 0, 0, 1, 'en', 'html'),
	(31, 13, 10, 1, '2026-06-01 08:00:18.430273+00', 0, 0, 0, NULL, 'pdf'),
	(32, 14, 11, 1, '2026-06-01 08:00:19.458011+00', 0, 0, 0, NULL, 'text'),
	(33, 22, 19, 1, '2026-06-01 08:00:20.482419+00', 0, 0, 0, 'en', 'html'),
	(34, 23, 20, 4, '2026-07-06 12:00:01.879745+00', 0, 0, 0, 'en', 'html'),
	(35, 24, 21, 4, '2026-07-06 12:00:03.930939+00', 0, 0, 0, 'en', 'html'),
	(36, 25, 22, 2, '2019-05-04 10:00:01+00', 0, 0, 0, 'fr', 'html'),
	(37, 26, 23, 2, '2019-05-04 10:00:02+00', 0, 0, 0, 'fr', 'html');

INSERT INTO public.snapshot_outlinks VALUES
	(1, 2),
	(1, 3),
	(1, 4),
	(1, 5),
	(1, 6),
	(1, 7),
	(1, 8),
	(1, 9),
	(1, 10),
	(1, 11),
	(1, 12),
	(1, 13),
	(1, 14),
	(1, 15),
	(2, 1),
	(3, 1),
	(3, 4),
	(4, 1),
	(4, 14),
	(5, 9),
	(15, 17),
	(15, 18),
	(15, 19),
	(15, 20),
	(16, 16),
	(17, 16),
	(18, 16),
	(20, 1),
	(20, 21),
	(34, 23),
	(34, 24),
	(35, 22);

INSERT INTO public.snapshots VALUES
	(1, 1, 1, 1, 1, 'http://harbour.example/', 'https://harbour.example/', '2026-03-02 08:00:03.588446+00', 'text/html', 200, 'Harbour of Gull Rock', 'Harbour of Gull Rock Welcome to the harbour. en/ferries fr/traversiers en/tides fr/marees en/anchor fr/ancien en/news en/contact en/old-ferries en/winter en/item?id=7 en/item?id=8 files/dredging.pdf files/notice.txt', 'en', 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:4b97c274-e320-4e8e-b791-07c8e07db260>', 415, 1532, NULL, 'e2d440a842c149bff03820747ed95e2040a9baf1aea8c964fc6eeafe50c484f1', 1),
	(2, 1, 1, 3, 2, 'http://harbour.example/en/ferries', 'https://harbour.example/en/ferries', '2026-03-02 08:00:05.626353+00', 'text/html', 200, 'Ferry timetable', 'Ferry timetable The ferry to the islands leaves at eight. Dogs travel free. home', 'en', 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:198e6d21-235a-4fc9-8684-3a7fd2989771>', 3806, 910, NULL, '53033342521765e5f266ddd5816a1b52802064e4839bf0eabc109ecc1c31b68f', 2),
	(3, 1, 1, 4, 3, 'http://harbour.example/fr/traversiers', 'https://harbour.example/fr/traversiers', '2026-03-02 08:00:06.645345+00', 'text/html', 200, 'Horaire des traversiers', 'Horaire des traversiers Le traversier d’été part à huit heures. en/ferries home', 'fr', 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:db5dc8ff-7e53-42aa-8b83-3beebf2d3cb9>', 5363, 954, NULL, '272dd9e38e18bc343ae3fcc9e5bfd1d2bc7d93456a94d508ae279cc0c62c74e7', 3),
	(4, 1, 1, 5, 4, 'http://harbour.example/en/tides', 'https://harbour.example/en/tides', '2026-03-02 08:00:07.668097+00', 'text/html', 200, 'Tide tables', 'Tide tables High water at the pier is at noon on Tuesday. home fr/marees', 'en', 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:1efff201-4eeb-4896-a6e8-23cca77b661b>', 6972, 923, NULL, '0cb9e30483d02149a976cf66d2fd0c0305a5cf604d20ea7af685c5513de3e9e2', 4),
	(5, 1, 1, 6, 5, 'http://harbour.example/fr/marees', 'https://harbour.example/fr/marees', '2026-03-02 08:00:08.690109+00', 'text/html', 200, 'Table des marées', 'Table des marées La pleine mer est à midi à côté de la jetée ; la marée basse découvre l’estran. Le cœur du port reste à flot. en/tides', 'fr', 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:f046f21a-c7d4-46d6-80f0-e6ee6d8cc574>', 8538, 986, NULL, 'b0ba431587a9cd9fd9d8147ac97291528c1b4cc14712462a70651f29cd66ccd7', 5),
	(6, 1, 1, 7, 6, 'http://harbour.example/en/anchor', 'https://harbour.example/en/anchor', '2026-03-02 08:00:09.712319+00', 'text/html', 200, 'The old anchor', 'The old anchor The old anchor was raised from the sea bed by divers. The anchor', 'en', 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:348e9fb3-a501-4ec2-96ff-5d7a4697d4c5>', 10169, 905, NULL, '2946f7f4c1cb0203b652860aa3af74d8592fa8694ca6611359617704c71e258f', 6),
	(7, 1, 1, 8, 7, 'http://harbour.example/fr/ancien', 'https://harbour.example/fr/ancien', '2026-03-02 08:00:10.729685+00', 'text/html', 200, 'Le vieux château', 'Le vieux château Le château fort gardait jadis l''entrée du chenal ; ses fenêtres donnent sur la forêt.', 'fr', 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:44eca392-7c92-49a8-a86a-75805b850008>', 11719, 783, NULL, 'fc5b9bc5abdaeca8c99a2bb06d2879026b301c803423d81f1135fe0fd597136c', 7),
	(8, 1, 1, 9, 8, 'http://harbour.example/en/news', 'https://harbour.example/en/news', '2026-03-02 08:00:11.747049+00', 'text/html', 200, 'Harbour news', 'Harbour news The dredging of the north channel begins in May. A walrus was seen at the quay.', 'en', 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:7390d68d-8de5-4272-bf95-c0522e13b7a9>', 13147, 939, NULL, 'f596f441589a419ee6148f782e00b1194486c8493be43c9f486f24ec396bbb26', 8),
	(9, 1, 1, 10, 9, 'http://harbour.example/en/contact', 'https://harbour.example/en/contact', '2026-03-02 08:00:12.772901+00', 'text/html', 200, 'Contact', 'Contact Write to the harbour master, or call the office on weekdays.', 'en', 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:d251cc4d-0b83-4d8c-90cb-724ef969cd8d>', 14727, 881, NULL, 'edd5ca12e1d99ed93cb0035d9dfb59a06001276732dfc150e5704de19cd40004', 9),
	(10, 1, 1, 12, 10, 'http://harbour.example/en/winter', 'https://harbour.example/en/winter', '2026-03-02 08:00:14.804597+00', 'text/html', 200, 'Winter closing', 'Winter closing The slipway is closed by ice from December on.', 'en', 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:8eba1c3b-7c64-4817-bd69-16f502309b86>', 17490, 858, NULL, 'ad2ab6082bea55b93555abeed318a6c5906435cc820a6aab8a40963310473ede', 10),
	(11, 1, 1, 13, 11, 'http://harbour.example/en/item?id=7', 'https://harbour.example/en/item?id=7', '2026-03-02 08:00:15.824106+00', 'text/html', 200, 'Item seven', 'Item seven A brass sextant, made in 1871.', 'en', 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:ce8cd63a-b4bd-49cc-9c4a-a80e608061e7>', 18993, 837, NULL, '1045faf7e0593eccae17b16a12e1a79b87a96930264b5c6fcd8ca99f8b390d60', 11),
	(12, 1, 1, 14, 12, 'http://harbour.example/en/item?id=8', 'https://harbour.example/en/item?id=8', '2026-03-02 08:00:16.873287+00', 'text/html', 200, 'Item eight', 'Item eight A wooden barometer, gift of the pilots.', 'en', 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:9f903a36-3968-4c30-a6d1-b6b281b234ae>', 20481, 846, NULL, '797b5b8e4ee5b6a763e1df3c30d4d024f697e87ab579e0bba4579ee3a9d80b00', 12),
	(13, 1, 1, 15, 13, 'http://harbour.example/files/dredging.pdf', 'https://harbour.example/files/dredging.pdf', '2026-03-02 08:00:17.897259+00', 'application/pdf', 200, 'Dredging report', 'Dredging report The sediment of the north channel was surveyed in autumn.', NULL, 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:e8657ded-2c8f-4444-a679-bd44be8f1f70>', 21978, 1338, NULL, 'dccc22ff3afc290b674cc11d11f095447d9636ca4c46e920a9b9b8fd932c8bc7', 13),
	(14, 1, 1, 16, 14, 'http://harbour.example/files/notice.txt', 'https://harbour.example/files/notice.txt', '2026-03-02 08:00:18.923735+00', 'text/plain', 200, 'NOTICE TO MARINERS', 'NOTICE TO MARINERS The red buoy at Gull Rock is unlit until further notice.', NULL, 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', '<urn:uuid:5c84f7cf-d7a5-4957-a440-2f274fe8d5f2>', 23979, 667, NULL, 'c1db75fe1a96dd9414ddaaaca540be09aa7452d37cb14c86995123e87ca794be', 14),
	(15, 2, 3, 18, 15, 'http://observatory.example/', 'https://observatory.example/', '2026-03-03 10:00:04.743621+00', 'text/html', 200, 'Observatory', 'Observatory Tide gauges and weather. gauges fr/météo private/log en/ferry', 'en', 'observatory/20260303T100002Z__observatory-20260303/warcs/observatory-20260303100004764689-archive-14020-544f8b05.warc.gz', '<urn:uuid:02bd5301-a9f3-4df9-aff0-574f4151be94>', 427, 998, NULL, 'ebc8b4d08a0f2753476f975b656ef48637d42107f656773e3f5c80d3c303fd84', 15),
	(16, 2, 3, 20, 16, 'http://observatory.example/gauges', 'https://observatory.example/gauges', '2026-03-03 10:00:06.811575+00', 'text/html', 200, 'Gauges', 'Gauges The gauge at the pier counts centimetres of high water. home', 'en', 'observatory/20260303T100002Z__observatory-20260303/warcs/observatory-20260303100004764689-archive-14020-544f8b05.warc.gz', '<urn:uuid:325c3d25-fd07-406b-a0f9-79ff53e321d8>', 3304, 881, NULL, 'c8598079442b5314227aae70eab33654f4a4e2018f0a197b988881086f1f7665', 16),
	(17, 2, 3, 21, 17, 'http://observatory.example/fr/m%C3%A9t%C3%A9o', 'https://observatory.example/fr/m%C3%A9t%C3%A9o', '2026-03-03 10:00:07.840869+00', 'text/html', 200, 'Météo marine', 'Météo marine Coup de vent prévu près des îles, mer forte. home', 'fr', 'observatory/20260303T100002Z__observatory-20260303/warcs/observatory-20260303100004764689-archive-14020-544f8b05.warc.gz', '<urn:uuid:ce0f31a9-1477-4c8a-9482-b603ca81dcd7>', 4832, 901, NULL, '8fee51cbac469de6ecd25e4f6974085873612b85de35f9276ec0ae2905d77a91', 17),
	(18, 2, 3, 22, 18, 'http://observatory.example/en/ferry', 'https://observatory.example/en/ferry', '2026-03-03 10:00:08.87762+00', 'text/html', 200, 'Wind and the ferry', 'Wind and the ferry In a gale no ferry sails to the islands. home', 'en', 'observatory/20260303T100002Z__observatory-20260303/warcs/observatory-20260303100004764689-archive-14020-544f8b05.warc.gz', '<urn:uuid:3744c381-3189-4f51-aee2-e9433cef1a1a>', 6404, 892, NULL, 'a3d74735edf336b55578dd70f5c86c401cc042277d84f2dfbfe422c2181a8e38', 18),
	(19, 3, 1, 23, 1, 'http://harbour.example/', 'https://harbour.example/', '2026-06-01 08:00:04.076938+00', 'text/html', 200, 'Harbour of Gull Rock', 'Harbour of Gull Rock Welcome to the harbour. en/ferries fr/traversiers en/tides fr/marees en/anchor fr/ancien en/news en/contact en/old-ferries en/winter en/item?id=7 en/item?id=8 files/dredging.pdf files/notice.txt', 'en', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:fa31af22-74f6-4bcc-80bf-aef5d6d78a63>', 415, 735, NULL, 'e2d440a842c149bff03820747ed95e2040a9baf1aea8c964fc6eeafe50c484f1', 1),
	(20, 3, 1, 25, 19, 'http://harbour.example/en/ferries', 'https://harbour.example/en/ferries', '2026-06-01 08:00:06.131481+00', 'text/html', 200, 'Ferry timetable', 'Ferry timetable The ferry to the islands leaves at nine. Dogs need a ticket from April on. home en/bridge', 'en', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:c28390cf-6807-469b-add3-af5b411fbd2a>', 3264, 969, NULL, 'ab1bcb11f29b8b3f349c0cbebc8ffd957a6e4d089eebe6b17cd189b93add5753', 20),
	(21, 3, 1, 26, 20, 'http://harbour.example/fr/traversiers', 'https://harbour.example/fr/traversiers', '2026-06-01 08:00:07.159473+00', 'text/html', 200, 'Horaire des traversiers', 'Horaire des traversiers Le traversier d’été part à neuf heures. en/ferries home', 'fr', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:60229549-c2d9-41ed-b66e-2d891afb856b>', 4880, 954, NULL, '583e346a5d2572006b59d0bf9be95ba7d11fb92c7929cce617a55238648af03d', 3),
	(22, 3, 1, 27, 4, 'http://harbour.example/en/tides', 'https://harbour.example/en/tides', '2026-06-01 08:00:08.176753+00', 'text/html', 200, 'Tide tables', 'Tide tables High water at the pier is at noon on Tuesday. home fr/marees', 'en', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:b2299403-4b41-4ab0-8dbd-b731f1139e41>', 6489, 832, NULL, '0cb9e30483d02149a976cf66d2fd0c0305a5cf604d20ea7af685c5513de3e9e2', 4),
	(23, 3, 1, 28, 5, 'http://harbour.example/fr/marees', 'https://harbour.example/fr/marees', '2026-06-01 08:00:09.190149+00', 'text/html', 200, 'Table des marées', 'Table des marées La pleine mer est à midi à côté de la jetée ; la marée basse découvre l’estran. Le cœur du port reste à flot. en/tides', 'fr', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:637ef378-da11-4557-a5a5-f82f9ff877cb>', 7964, 834, NULL, 'b0ba431587a9cd9fd9d8147ac97291528c1b4cc14712462a70651f29cd66ccd7', 5),
	(24, 3, 1, 29, 6, 'http://harbour.example/en/anchor', 'https://harbour.example/en/anchor', '2026-06-01 08:00:10.214807+00', 'text/html', 200, 'The old anchor', 'The old anchor The old anchor was raised from the sea bed by divers. The anchor', 'en', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:6d0f7a85-a7de-4724-a673-6c8a1adc1051>', 9443, 834, NULL, '2946f7f4c1cb0203b652860aa3af74d8592fa8694ca6611359617704c71e258f', 6),
	(25, 3, 1, 30, 7, 'http://harbour.example/fr/ancien', 'https://harbour.example/fr/ancien', '2026-06-01 08:00:11.259528+00', 'text/html', 200, 'Le vieux château', 'Le vieux château Le château fort gardait jadis l''entrée du chenal ; ses fenêtres donnent sur la forêt.', 'fr', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:d01395cb-f15f-4ef3-97af-bd4c56d3a655>', 10922, 839, NULL, 'fc5b9bc5abdaeca8c99a2bb06d2879026b301c803423d81f1135fe0fd597136c', 7),
	(26, 3, 1, 31, 8, 'http://harbour.example/en/news', 'https://harbour.example/en/news', '2026-06-01 08:00:12.285296+00', 'text/html', 200, 'Harbour news', 'Harbour news The dredging of the north channel begins in May. A walrus was seen at the quay.', 'en', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:dae9bebc-3c13-4e2f-bce9-f867732a5265>', 12406, 855, NULL, 'f596f441589a419ee6148f782e00b1194486c8493be43c9f486f24ec396bbb26', 8),
	(27, 3, 1, 32, 9, 'http://harbour.example/en/contact', 'https://harbour.example/en/contact', '2026-06-01 08:00:13.315491+00', 'text/html', 200, 'Contact', 'Contact Write to the harbour master, or call the office on weekdays.', 'en', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:da02bf40-2793-4020-bae3-8eda86322586>', 13902, 859, NULL, 'edd5ca12e1d99ed93cb0035d9dfb59a06001276732dfc150e5704de19cd40004', 9),
	(28, 3, 1, 34, 21, 'http://harbour.example/en/winter', 'https://harbour.example/en/winter', '2026-06-01 08:00:15.354523+00', 'text/html', 404, 'Page not found', 'Page not found There is no such page in the harbour.', 'en', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:4f3878c7-abda-41c5-a715-67f0969b233f>', 16643, 856, NULL, '0b1719a4d57dc5e6492246198c2c3d4d93d27ac666417bd2673f653bc8febfa2', 10),
	(29, 3, 1, 35, 11, 'http://harbour.example/en/item?id=7', 'https://harbour.example/en/item?id=7', '2026-06-01 08:00:16.373134+00', 'text/html', 200, 'Item seven', 'Item seven A brass sextant, made in 1871.', 'en', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:30502759-78fc-41c2-ab92-4c9e2b198978>', 18144, 840, NULL, '1045faf7e0593eccae17b16a12e1a79b87a96930264b5c6fcd8ca99f8b390d60', 11),
	(30, 3, 1, 36, 12, 'http://harbour.example/en/item?id=8', 'https://harbour.example/en/item?id=8', '2026-06-01 08:00:17.407564+00', 'text/html', 200, 'Item eight', 'Item eight A wooden barometer, gift of the pilots.', 'en', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:180f1788-68ce-4054-8034-9b32e68a9357>', 19635, 840, NULL, '797b5b8e4ee5b6a763e1df3c30d4d024f697e87ab579e0bba4579ee3a9d80b00', 12),
	(31, 3, 1, 37, 13, 'http://harbour.example/files/dredging.pdf', 'https://harbour.example/files/dredging.pdf', '2026-06-01 08:00:18.430273+00', 'application/pdf', 200, 'Dredging report', 'Dredging report The sediment of the north channel was surveyed in autumn.', NULL, 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:7e0cbc0e-b192-491e-9bc2-104e98ecfb09>', 21126, 843, NULL, 'dccc22ff3afc290b674cc11d11f095447d9636ca4c46e920a9b9b8fd932c8bc7', 13),
	(32, 3, 1, 38, 14, 'http://harbour.example/files/notice.txt', 'https://harbour.example/files/notice.txt', '2026-06-01 08:00:19.458011+00', 'text/plain', 200, 'NOTICE TO MARINERS', 'NOTICE TO MARINERS The red buoy at Gull Rock is unlit until further notice.', NULL, 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:8df5545f-539f-4cdf-94db-0543f9de0cc5>', 22632, 851, NULL, 'c1db75fe1a96dd9414ddaaaca540be09aa7452d37cb14c86995123e87ca794be', 14),
	(33, 3, 1, 39, 22, 'http://harbour.example/en/bridge', 'https://harbour.example/en/bridge', '2026-06-01 08:00:20.482419+00', 'text/html', 200, 'The swing bridge', 'The swing bridge The swing bridge opens for tall ships twice a day.', 'en', 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', '<urn:uuid:9d2a5acd-cdbb-47c0-9c6a-4c754298b193>', 24142, 866, NULL, 'a694a3ed1c457b796390140f0fe8ff95493ca1c35947ca51acf3d05f1a19a1ee', 33),
	(34, 4, 4, 41, 23, 'http://lighthouse.example/', 'https://lighthouse.example/', '2026-07-06 12:00:01.879745+00', 'text/html', 200, 'The lighthouse', 'The lighthouse The lamp of the lighthouse turns every ten seconds. keeper stairs', 'en', 'lighthouse-example/20260706T120000Z__lighthouse-example-20260706/warcs/lighthouse-example-20260706120001892365-archive-15807-db3b6773.warc.gz', '<urn:uuid:a5c34e72-274b-4ce5-b23b-7c469d83a6c1>', 448, 932, NULL, 'c108ab34ce9578eba55590269838d3e70d637256dbc223d66333c3909b6503aa', 34),
	(35, 4, 4, 43, 24, 'http://lighthouse.example/keeper', 'https://lighthouse.example/keeper', '2026-07-06 12:00:03.930939+00', 'text/html', 200, 'The keeper', 'The keeper The last keeper left in 1987. home', 'en', 'lighthouse-example/20260706T120000Z__lighthouse-example-20260706/warcs/lighthouse-example-20260706120001892365-archive-15807-db3b6773.warc.gz', '<urn:uuid:c7fb4235-a49b-4bd3-974b-06fc9af64caa>', 3254, 862, NULL, '2dcc8262346a117a5393f5b646e64b9c1db349ee6b784516bcddde01ef86e76e', 35),
	(36, 5, 2, 44, 25, 'http://museum.example/', 'https://museum.example/', '2019-05-04 10:00:01+00', 'text/html', 200, 'Musée de la mer', 'Musée de la mer Le musée montre un scaphandre et des cartes anciennes.', 'fr', '@DATA@/imported/museum-2019.warc', '<urn:uuid:00000000-0000-4000-8000-000000000001>', 0, 618, NULL, '6dc4f337faedc3f42fc6b04a86d134e8df8b5ff792f9d49c0724871d1f0a265d', 36),
	(37, 5, 2, 45, 26, 'http://museum.example/salle', 'https://museum.example/salle', '2019-05-04 10:00:02+00', 'text/html', 200, 'La salle des phares', 'La salle des phares La lentille de Fresnel pèse deux tonnes.', 'fr', '@DATA@/imported/museum-2019.warc', '<urn:uuid:00000000-0000-4000-8000-000000000002>', 618, 615, NULL, '1466a15762d59c6160fdcd9fdfe18bff889ce670f68a6686f7993b403af2dcd0', 37);

INSERT INTO public.source_totals VALUES
	(1, 29, 15, '2026-03-02 08:00:03.588446+00', '2026-06-01 08:00:20.482419+00', 33, '2026-06-01 08:02:01.79115+00'),
	(2, 2, 2, '2019-05-04 10:00:01+00', '2019-05-04 10:00:02+00', 37, '2026-07-07 09:00:01.473062+00'),
	(3, 4, 4, '2026-03-03 10:00:04.743621+00', '2026-03-03 10:00:08.87762+00', 18, '2026-03-03 10:00:10.625064+00'),
	(4, 2, 2, '2026-07-06 12:00:01.879745+00', '2026-07-06 12:00:03.930939+00', 35, '2026-07-06 12:00:05.31665+00');

INSERT INTO public.sources VALUES
	(1, 'harbour', 'Harbour of Gull Rock', 'http://harbour.example/', 'Ferries, tides and notices of a small harbour.', true, '2026-03-01 09:00:01.324072+00', '2026-06-01 08:00:01.526252+00', '{"crawl": {"max_pages": 100}, "scope": {}, "plugins": ["page", "media"], "default_seeds": ["http://harbour.example/"], "name_template": "harbour-{date:%Y%m%d}", "schedule_hint": "weekly", "default_tool_options": {}, "default_zimit_passthrough_args": []}', 'weekly', false, '2026-06-07 09:00:01.29812+00', NULL, '["id"]', 1),
	(2, 'museum', 'Musée de la mer', 'http://museum.example/', NULL, true, '2026-03-01 09:05:01.111147+00', '2026-03-01 09:06:00.926811+00', '{"crawl": {}, "scope": {}, "plugins": null, "default_seeds": ["http://museum.example/"], "name_template": "museum-{date:%Y%m%d}", "schedule_hint": "0 3 * * 1", "default_tool_options": {}, "default_zimit_passthrough_args": []}', '0 3 * * 1', true, '2026-03-02 03:00:00+00', NULL, 'null', 1),
	(3, 'observatory', 'Observatory', 'http://observatory.example/', NULL, true, '2026-03-03 08:00:01.649342+00', '2026-03-03 10:00:02.049377+00', '{"crawl": {}, "scope": {}, "plugins": null, "default_seeds": ["http://observatory.example/"], "name_template": "observatory-{date:%Y%m%d}", "schedule_hint": "7d", "default_tool_options": {}, "default_zimit_passthrough_args": []}', '7d', false, '2026-03-10 08:00:01.622537+00', NULL, 'null', 1),
	(4, 'lighthouse-example', 'lighthouse.example', 'http://lighthouse.example/', NULL, true, '2026-07-06 12:00:00.764074+00', '2026-07-06 12:00:00.76408+00', NULL, NULL, false, NULL, NULL, NULL, 1);

INSERT INTO public.usage_metrics VALUES
	('2026-07-07', 'reportSubmissions', 1),
	('2026-07-07', 'searchRequests', 1),
	('2026-07-07', 'snapshotDetailViews', 1);

INSERT INTO public.vocabulary VALUES
	(1, 'anchor'),
	(2, 'ancien'),
	(3, 'chateau'),
	(4, 'closing'),
	(5, 'contact'),
	(6, 'dredging'),
	(7, 'eight'),
	(8, 'example'),
	(9, 'ferries'),
	(10, 'ferry'),
	(11, 'files'),
	(12, 'gull'),
	(13, 'harbour'),
	(14, 'horaire'),
	(15, 'item'),
	(16, 'marees'),
	(17, 'mariners'),
	(18, 'news'),
	(19, 'notice'),
	(20, 'report'),
	(21, 'rock'),
	(22, 'seven'),
	(23, 'table'),
	(24, 'tables'),
	(25, 'tide'),
	(26, 'tides'),
	(27, 'timetable'),
	(28, 'traversiers'),
	(29, 'vieux'),
	(30, 'winter'),
	(31, 'gauges'),
	(32, 'marine'),
	(33, 'meteo'),
	(34, 'observatory'),
	(35, 'wind'),
	(36, 'bridge'),
	(37, 'found'),
	(38, 'page'),
	(39, 'swing'),
	(40, 'keeper'),
	(41, 'lighthouse'),
	(42, 'musee'),
	(43, 'museum'),
	(44, 'phares'),
	(45, 'salle');

INSERT INTO public.warc_files VALUES
	(1, 1, 'harbour/20260302T080000Z__harbour-20260302/warcs/harbour-20260302080003597785-archive-12686-9c96e4fd.warc.gz', 26586, 26586, '2026-03-02 08:00:03.598953+00', NULL, 2, 0),
	(2, 2, 'observatory/20260303T100002Z__observatory-20260303/warcs/observatory-20260303100004764689-archive-14020-544f8b05.warc.gz', 7947, 7947, '2026-03-03 10:00:04.766361+00', NULL, 2, 0),
	(3, 3, 'harbour/20260601T080001Z__harbour-20260601/warcs/harbour-20260601080004088082-archive-15382-ea97ddb8.warc.gz', 27120, 27120, '2026-06-01 08:00:04.090353+00', NULL, 2, 0),
	(4, 4, 'lighthouse-example/20260706T120000Z__lighthouse-example-20260706/warcs/lighthouse-example-20260706120001892365-archive-15807-db3b6773.warc.gz', 4761, 4761, '2026-07-06 12:00:01.893937+00', NULL, 2, 0),
	(5, 5, '@DATA@/imported/museum-2019.warc', 1233, 1233, '2026-07-07 09:00:01.083375+00', NULL, 2, 0);

SELECT pg_catalog.setval('public.archive_jobs_id_seq', 5, true);

SELECT pg_catalog.setval('public.asset_versions_id_seq', 29, true);

SELECT pg_catalog.setval('public.assets_id_seq', 27, true);

SELECT pg_catalog.setval('public.audit_log_id_seq', 15, true);

SELECT pg_catalog.setval('public.captures_id_seq', 45, true);

SELECT pg_catalog.setval('public.crawl_tasks_id_seq', 45, true);

SELECT pg_catalog.setval('public.documents_id_seq', 26, true);

SELECT pg_catalog.setval('public.issue_reports_id_seq', 1, true);

SELECT pg_catalog.setval('public.page_signals_id_seq', 26, true);

SELECT pg_catalog.setval('public.pages_id_seq', 23, true);

SELECT pg_catalog.setval('public.record_problems_id_seq', 1, false);

SELECT pg_catalog.setval('public.snapshots_id_seq', 37, true);

SELECT pg_catalog.setval('public.sources_id_seq', 4, true);

SELECT pg_catalog.setval('public.vocabulary_id_seq', 45, true);

SELECT pg_catalog.setval('public.warc_files_id_seq', 5, true);

ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);

ALTER TABLE ONLY public.archive_jobs
    ADD CONSTRAINT pk_archive_jobs PRIMARY KEY (id);

ALTER TABLE ONLY public.asset_blobs
    ADD CONSTRAINT pk_asset_blobs PRIMARY KEY (digest);

ALTER TABLE ONLY public.asset_versions
    ADD CONSTRAINT pk_asset_versions PRIMARY KEY (id);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT pk_assets PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT pk_audit_log PRIMARY KEY (id);

ALTER TABLE ONLY public.captures
    ADD CONSTRAINT pk_captures PRIMARY KEY (id);

ALTER TABLE ONLY public.crawl_reports
    ADD CONSTRAINT pk_crawl_reports PRIMARY KEY (job_id, owner);

ALTER TABLE ONLY public.crawl_tasks
    ADD CONSTRAINT pk_crawl_tasks PRIMARY KEY (id);

ALTER TABLE ONLY public.document_words
    ADD CONSTRAINT pk_document_words PRIMARY KEY (document_id);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT pk_documents PRIMARY KEY (id);

ALTER TABLE ONLY public.host_permits
    ADD CONSTRAINT pk_host_permits PRIMARY KEY (host, slot);

ALTER TABLE ONLY public.issue_reports
    ADD CONSTRAINT pk_issue_reports PRIMARY KEY (id);

ALTER TABLE ONLY public.operation_counts
    ADD CONSTRAINT pk_operation_counts PRIMARY KEY (name);

ALTER TABLE ONLY public.page_signals
    ADD CONSTRAINT pk_page_signals PRIMARY KEY (id);

ALTER TABLE ONLY public.pages
    ADD CONSTRAINT pk_pages PRIMARY KEY (id);

ALTER TABLE ONLY public.plugin_runs
    ADD CONSTRAINT pk_plugin_runs PRIMARY KEY (capture_id, plugin);

ALTER TABLE ONLY public.record_problems
    ADD CONSTRAINT pk_record_problems PRIMARY KEY (id);

ALTER TABLE ONLY public.search_entries
    ADD CONSTRAINT pk_search_entries PRIMARY KEY (snapshot_id);

ALTER TABLE ONLY public.snapshot_outlinks
    ADD CONSTRAINT pk_snapshot_outlinks PRIMARY KEY (snapshot_id, target_id);

ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT pk_snapshots PRIMARY KEY (id);

ALTER TABLE ONLY public.source_totals
    ADD CONSTRAINT pk_source_totals PRIMARY KEY (source_id);

ALTER TABLE ONLY public.sources
    ADD CONSTRAINT pk_sources PRIMARY KEY (id);

ALTER TABLE ONLY public.usage_metrics
    ADD CONSTRAINT pk_usage_metrics PRIMARY KEY (metric_date, event);

ALTER TABLE ONLY public.vocabulary
    ADD CONSTRAINT pk_vocabulary PRIMARY KEY (id);

ALTER TABLE ONLY public.warc_files
    ADD CONSTRAINT pk_warc_files PRIMARY KEY (id);

ALTER TABLE ONLY public.asset_versions
    ADD CONSTRAINT uq_asset_versions_asset_id_version UNIQUE (asset_id, version);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT uq_assets_source_id_plugin_identifier UNIQUE (source_id, plugin, identifier);

ALTER TABLE ONLY public.captures
    ADD CONSTRAINT uq_captures_warc_file_id_warc_offset UNIQUE (warc_file_id, warc_offset);

ALTER TABLE ONLY public.crawl_tasks
    ADD CONSTRAINT uq_crawl_tasks_job_id_url_key UNIQUE (job_id, url_key);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT uq_documents_normalized_url_group_text_hash UNIQUE (normalized_url_group, text_hash);

ALTER TABLE ONLY public.page_signals
    ADD CONSTRAINT uq_page_signals_normalized_url_group UNIQUE (normalized_url_group);

ALTER TABLE ONLY public.pages
    ADD CONSTRAINT uq_pages_source_id_normalized_url_group UNIQUE (source_id, normalized_url_group);

ALTER TABLE ONLY public.record_problems
    ADD CONSTRAINT uq_record_problems_warc_file_id_warc_offset UNIQUE (warc_file_id, warc_offset);

ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT uq_snapshots_capture_id UNIQUE (capture_id);

ALTER TABLE ONLY public.sources
    ADD CONSTRAINT uq_sources_code UNIQUE (code);

ALTER TABLE ONLY public.vocabulary
    ADD CONSTRAINT uq_vocabulary_word UNIQUE (word);

ALTER TABLE ONLY public.warc_files
    ADD CONSTRAINT uq_warc_files_path UNIQUE (path);

CREATE INDEX ix_archive_jobs_numbers ON public.archive_jobs USING btree (source_id, status, cleanup_status, pages_crawled, pages_failed);

CREATE INDEX ix_archive_jobs_source_id ON public.archive_jobs USING btree (source_id);

CREATE INDEX ix_archive_jobs_status_queued_at ON public.archive_jobs USING btree (status, queued_at);

CREATE INDEX ix_asset_versions_blob_digest ON public.asset_versions USING btree (blob_digest);

CREATE INDEX ix_asset_versions_capture_id ON public.asset_versions USING btree (capture_id);

CREATE INDEX ix_asset_versions_job_id ON public.asset_versions USING btree (job_id);

CREATE INDEX ix_assets_last_seen_job_id ON public.assets USING btree (last_seen_job_id);

CREATE INDEX ix_assets_source_id_state ON public.assets USING btree (source_id, state);

CREATE INDEX ix_audit_log_at ON public.audit_log USING btree (at);

CREATE INDEX ix_audit_log_target_id ON public.audit_log USING btree (target, id);

CREATE INDEX ix_captures_job_id ON public.captures USING btree (job_id);

CREATE INDEX ix_captures_source_id_payload_digest ON public.captures USING btree (source_id, payload_digest);

CREATE INDEX ix_captures_url_key_capture_timestamp ON public.captures USING btree (url_key, capture_timestamp);

CREATE INDEX ix_captures_warc_record_id ON public.captures USING btree (warc_record_id);

CREATE INDEX ix_crawl_tasks_claim ON public.crawl_tasks USING btree (job_id, status, priority, id);

CREATE INDEX ix_documents_search_vector ON public.documents USING gin (search_vector);

CREATE INDEX ix_host_permits_free_at ON public.host_permits USING btree (free_at);

CREATE INDEX ix_issue_reports_status_id ON public.issue_reports USING btree (status, id);

CREATE INDEX ix_page_signals_authorities ON public.page_signals USING btree (inlink_count) WHERE (inlink_count >= 8);

CREATE INDEX ix_page_signals_snapshot_id ON public.page_signals USING btree (snapshot_id);

CREATE INDEX ix_pages_last_capture_timestamp ON public.pages USING btree (last_capture_timestamp);

CREATE INDEX ix_pages_newest ON public.pages USING btree (latest_ok_timestamp, latest_ok_snapshot_id, source_id);

CREATE INDEX ix_record_problems_job_id ON public.record_problems USING btree (job_id);

CREATE INDEX ix_search_entries_document ON public.search_entries USING btree (document_id, captured_at, snapshot_id, page_id, source_id, status_rank, repeated, url_cost, language, kind);

CREATE INDEX ix_search_entries_newest ON public.search_entries USING btree (captured_at, snapshot_id, document_id, page_id, source_id, status_rank, repeated);

CREATE INDEX ix_search_entries_page ON public.search_entries USING btree (page_id, captured_at, snapshot_id, document_id, source_id, status_rank, repeated);

CREATE INDEX ix_search_entries_shown ON public.search_entries USING btree (document_id, page_id, source_id) WHERE (((status_rank = ANY (ARRAY[0, 2])) AND (repeated = 0)) IS TRUE);

CREATE INDEX ix_snapshots_capture_timestamp_id ON public.snapshots USING btree (capture_timestamp, id);

CREATE INDEX ix_snapshots_document_id ON public.snapshots USING btree (document_id);

CREATE INDEX ix_snapshots_job_id ON public.snapshots USING btree (job_id);

CREATE INDEX ix_snapshots_job_id_capture_timestamp ON public.snapshots USING btree (job_id, capture_timestamp);

CREATE INDEX ix_snapshots_normalized_url_group_capture_timestamp ON public.snapshots USING btree (normalized_url_group, capture_timestamp);

CREATE INDEX ix_snapshots_sharing_outlinks ON public.snapshots USING btree (outlinks_from) WHERE (outlinks_from <> id);

CREATE INDEX ix_snapshots_source_id_capture_timestamp ON public.snapshots USING btree (source_id, capture_timestamp);

CREATE INDEX ix_vocabulary_trigrams ON public.vocabulary USING gin (word public.gin_trgm_ops);

CREATE INDEX ix_warc_files_job_id ON public.warc_files USING btree (job_id);

CREATE INDEX ix_warc_files_owner ON public.warc_files USING btree (owner);

ALTER TABLE ONLY public.archive_jobs
    ADD CONSTRAINT fk_archive_jobs_source_id FOREIGN KEY (source_id) REFERENCES public.sources(id);

ALTER TABLE ONLY public.asset_versions
    ADD CONSTRAINT fk_asset_versions_asset_id FOREIGN KEY (asset_id) REFERENCES public.assets(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.asset_versions
    ADD CONSTRAINT fk_asset_versions_blob_digest FOREIGN KEY (blob_digest) REFERENCES public.asset_blobs(digest);

ALTER TABLE ONLY public.asset_versions
    ADD CONSTRAINT fk_asset_versions_capture_id FOREIGN KEY (capture_id) REFERENCES public.captures(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.asset_versions
    ADD CONSTRAINT fk_asset_versions_job_id FOREIGN KEY (job_id) REFERENCES public.archive_jobs(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT fk_assets_last_seen_job_id FOREIGN KEY (last_seen_job_id) REFERENCES public.archive_jobs(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT fk_assets_source_id FOREIGN KEY (source_id) REFERENCES public.sources(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.captures
    ADD CONSTRAINT fk_captures_job_id FOREIGN KEY (job_id) REFERENCES public.archive_jobs(id);

ALTER TABLE ONLY public.captures
    ADD CONSTRAINT fk_captures_source_id FOREIGN KEY (source_id) REFERENCES public.sources(id);

ALTER TABLE ONLY public.captures
    ADD CONSTRAINT fk_captures_warc_file_id FOREIGN KEY (warc_file_id) REFERENCES public.warc_files(id);

ALTER TABLE ONLY public.crawl_reports
    ADD CONSTRAINT fk_crawl_reports_job_id FOREIGN KEY (job_id) REFERENCES public.archive_jobs(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.crawl_tasks
    ADD CONSTRAINT fk_crawl_tasks_job_id FOREIGN KEY (job_id) REFERENCES public.archive_jobs(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.document_words
    ADD CONSTRAINT fk_document_words_document_id FOREIGN KEY (document_id) REFERENCES public.documents(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pages
    ADD CONSTRAINT fk_pages_source_id FOREIGN KEY (source_id) REFERENCES public.sources(id);

ALTER TABLE ONLY public.plugin_runs
    ADD CONSTRAINT fk_plugin_runs_capture_id FOREIGN KEY (capture_id) REFERENCES public.captures(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.record_problems
    ADD CONSTRAINT fk_record_problems_job_id FOREIGN KEY (job_id) REFERENCES public.archive_jobs(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.record_problems
    ADD CONSTRAINT fk_record_problems_warc_file_id FOREIGN KEY (warc_file_id) REFERENCES public.warc_files(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.search_entries
    ADD CONSTRAINT fk_search_entries_snapshot_id FOREIGN KEY (snapshot_id) REFERENCES public.snapshots(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT fk_snapshots_capture_id FOREIGN KEY (capture_id) REFERENCES public.captures(id);

ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT fk_snapshots_document_id FOREIGN KEY (document_id) REFERENCES public.documents(id);

ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT fk_snapshots_job_id FOREIGN KEY (job_id) REFERENCES public.archive_jobs(id);

ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT fk_snapshots_source_id FOREIGN KEY (source_id) REFERENCES public.sources(id);

ALTER TABLE ONLY public.source_totals
    ADD CONSTRAINT fk_source_totals_source_id FOREIGN KEY (source_id) REFERENCES public.sources(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.warc_files
    ADD CONSTRAINT fk_warc_files_job_id FOREIGN KEY (job_id) REFERENCES public.archive_jobs(id) ON DELETE CASCADE;
