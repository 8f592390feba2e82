-- The tables of a team server. Contents are stored once, whatever repositories and branches have them; a branch is a list of paths
-- with contents. Everything that a question may reveal is reached through `readable`.

CREATE TABLE repository (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name   text NOT NULL UNIQUE,
    source text NOT NULL, -- the URL or path that git fetches from
    added  timestamptz NOT NULL DEFAULT now()
);

-- A portable index in parts, which a node starts from.
CREATE TABLE artefact (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repository bigint NOT NULL REFERENCES repository ON DELETE CASCADE,
    bytes      bigint NOT NULL,
    written    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX artefact_by_repository ON artefact (repository);

CREATE TABLE artefact_part (
    artefact bigint NOT NULL REFERENCES artefact ON DELETE CASCADE,
    number   integer NOT NULL,
    data     bytea NOT NULL,
    PRIMARY KEY (artefact, number)
);
ALTER TABLE artefact_part ALTER COLUMN data SET STORAGE EXTERNAL; -- it is compressed

-- A retained branch with its published generation. One transaction replaces its entries and these columns.
CREATE TABLE branch (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repository bigint NOT NULL REFERENCES repository ON DELETE CASCADE,
    name       text NOT NULL,    -- empty until the default branch of the source is known
    is_default boolean NOT NULL,
    generation bigint NOT NULL DEFAULT 0, -- 0: nothing is published
    commit_id  text,
    tree       bytea,            -- hash of all entries
    files      bigint NOT NULL DEFAULT 0,
    bytes      bigint NOT NULL DEFAULT 0,
    artefact   bigint REFERENCES artefact ON DELETE SET NULL,
    drift      bigint NOT NULL DEFAULT 0, -- entries changed since the artefact was written
    published  timestamptz,
    checked    timestamptz,      -- when the source was last compared
    UNIQUE (repository, name)
);
CREATE UNIQUE INDEX branch_default ON branch (repository) WHERE is_default;

-- The contents of files, and what they are found by. The arrays hold hashes and are necessary conditions only: the index of
-- a repository decides.
CREATE TABLE content (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash     bytea NOT NULL UNIQUE, -- BLAKE3
    size     bigint NOT NULL,
    data     bytea NOT NULL,        -- one zstd frame
    terms    integer[] NOT NULL,    -- words and identifiers
    trigrams integer[],             -- NULL: too many, it may contain any text
    names    integer[],             -- symbols that it defines; NULL: not known yet
    added    timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE content ALTER COLUMN data SET STORAGE EXTERNAL; -- it is compressed
CREATE INDEX content_by_term ON content USING gin (terms);
CREATE INDEX content_by_trigram ON content USING gin (trigrams);
CREATE INDEX content_by_name ON content USING gin (names);
CREATE INDEX content_unknown_trigrams ON content (id) WHERE trigrams IS NULL;

CREATE TABLE entry (
    branch  bigint NOT NULL REFERENCES branch ON DELETE CASCADE,
    path    bytea NOT NULL,
    kind    smallint NOT NULL, -- 0: file, 1: link, 2: submodule
    blob    bytea NOT NULL,    -- its id in git
    size    bigint NOT NULL,
    content bigint REFERENCES content, -- NULL: too large, a link or a submodule
    PRIMARY KEY (branch, path)
);
CREATE INDEX entry_by_content ON entry (content, branch);

-- Package coordinates: the only thing that joins two repositories.
CREATE TABLE package (
    branch      bigint NOT NULL REFERENCES branch ON DELETE CASCADE,
    is_provided boolean NOT NULL, -- otherwise it is required
    ecosystem   text NOT NULL,
    name        text NOT NULL,
    PRIMARY KEY (branch, is_provided, ecosystem, name)
);
CREATE INDEX package_by_name ON package (ecosystem, name, is_provided);

-- Work for the workers. A job whose lease has ended is claimed again.
CREATE TABLE job (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    branch     bigint NOT NULL REFERENCES branch ON DELETE CASCADE,
    not_before timestamptz NOT NULL DEFAULT now(),
    attempts   integer NOT NULL DEFAULT 0,
    worker     text,        -- NULL: waiting
    lease      timestamptz, -- until when it belongs to the worker
    again      boolean NOT NULL DEFAULT false, -- asked for once more while it was worked on
    error      text,        -- of the last attempt
    UNIQUE (branch)
);

-- Only the hash of a token is stored.
CREATE TABLE token (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name             text NOT NULL,
    hash             bytea NOT NULL UNIQUE,
    is_admin         boolean NOT NULL DEFAULT false,
    all_repositories boolean NOT NULL DEFAULT false,
    per_minute       integer NOT NULL,
    created          timestamptz NOT NULL DEFAULT now(),
    expires          timestamptz,
    revoked          timestamptz
);

CREATE TABLE token_repository (
    token      bigint NOT NULL REFERENCES token ON DELETE CASCADE,
    repository bigint NOT NULL REFERENCES repository ON DELETE CASCADE,
    PRIMARY KEY (token, repository)
);

-- Which token may read which repository now. Every question joins it.
CREATE VIEW readable AS
SELECT t.id AS token, r.id AS repository
FROM token t
JOIN repository r ON t.all_repositories
    OR EXISTS (SELECT FROM token_repository g WHERE g.token = t.id AND g.repository = r.id)
WHERE t.revoked IS NULL AND (t.expires IS NULL OR t.expires > now());

CREATE TABLE audit (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz NOT NULL DEFAULT now(),
    token        bigint,
    name         text NOT NULL, -- of the token, which may be deleted later
    operation    text NOT NULL,
    question     text NOT NULL,
    repositories text[] NOT NULL,
    outcome      text NOT NULL,
    milliseconds integer NOT NULL
);
CREATE INDEX audit_by_time ON audit (at);
