-- What a namespace keeps beside its records, in one table: see `items/kinds.ts`. Bodies are put together from texts, so that JSON that
-- a fault of the disk has changed stays as it is.
CREATE TABLE item (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  position INTEGER NOT NULL,
  at INTEGER NOT NULL,
  expires_at INTEGER,
  type TEXT,
  ref TEXT,
  body TEXT NOT NULL,
  PRIMARY KEY (ns, kind, key)
) STRICT;

-- Tokens belong to no caller.
INSERT INTO namespace (id, name) SELECT 0, '' WHERE NOT EXISTS (SELECT 1 FROM namespace WHERE name = '');

INSERT INTO item (ns, kind, key, position, at, body)
  SELECT ns, 'startup', json_array(agent, key), row_number() OVER (PARTITION BY ns ORDER BY created_at, agent, key), updated_at,
    json_object('agent', agent, 'key', key, 'content', content, 'priority', priority,
      'reinforce', json(iif(reinforce, 'true', 'false')), 'createdAt', created_at, 'updatedAt', updated_at,
      'deletedAt', deleted_at)
  FROM startup;

INSERT INTO item (ns, kind, key, position, at, body)
  SELECT ns, 'startup_digest', json_array(agent, session), row_number() OVER (PARTITION BY ns ORDER BY at, agent, session), at,
    json_quote(digest)
  FROM startup_seen;

INSERT INTO item (ns, kind, key, position, at, expires_at, body)
  SELECT ns, category, CAST(id AS TEXT), id, at, expires_at,
    rtrim(json_object('name', name, 'surface', surface, 'actor', actor, 'outcome', outcome, 'tookMs', took_ms), '}')
      || ',"inputs":' || inputs || '}'
  FROM history;

INSERT INTO item (ns, kind, key, position, at, ref, body)
  SELECT ns, 'label', json_array(receipt, record), sequence, at, receipt,
    json_object('receipt', receipt, 'record', record, 'verdict', verdict, 'query', query, 'queryHash', query_hash,
      'project', project, 'at', at, 'actor', actor)
  FROM label;

INSERT INTO item (ns, kind, key, position, at, body)
  SELECT ns, 'golden_query', id, sequence, at,
    rtrim(json_object('id', id, 'query', query, 'project', project, 'at', at, 'actor', actor), '}')
      || ',"expected":' || expected || '}'
  FROM golden_query;

INSERT INTO item (ns, kind, key, position, at, type, ref, body)
  SELECT ns, 'receipt', id, row_number() OVER (PARTITION BY ns ORDER BY at, id), at, kind, hash, body FROM receipt;

INSERT INTO item (ns, kind, key, position, at, body)
  SELECT ns, 'concept_change', id, row_number() OVER (PARTITION BY ns ORDER BY at, id), at,
    rtrim(json_object('actor', actor, 'surface', surface, 'project', project), '}') || ',"detail":' || detail || '}'
  FROM concept_change;

INSERT INTO item (ns, kind, key, position, at, body)
  SELECT ns, 'source_state', source, row_number() OVER (PARTITION BY ns ORDER BY source), 0,
    rtrim(json_object('root', root, 'readAt', read_at, 'triedAt', tried_at, 'tookMs', took_ms, 'nextAt', next_at,
      'refreshes', refreshes, 'consecutiveFailures', failures, 'totalFailures', failed, 'error', error,
      'consecutiveEmpty', empties, 'paused', json(iif(paused, 'true', 'false')), 'approval', approval,
      'approvedAt', approved_at, 'approvedBy', approved_by, 'hits', hits, 'hitAt', hit_at), '}')
      || ',"problems":' || problems || '}'
  FROM source_state;

INSERT INTO item (ns, kind, key, position, at, ref, body)
  SELECT (SELECT id FROM namespace WHERE name = ''), 'token', id, row_number() OVER (ORDER BY created_at, id), created_at, hash,
    json_object('subject', subject, 'name', name,
      'scopes', json(iif(scopes = '', '[]', '[' || replace(json_quote(scopes), ' ', '","') || ']')),
      'expiresAt', expires_at, 'revokedAt', revoked_at)
  FROM token;

DROP TABLE startup;
DROP TABLE startup_seen;
DROP TABLE history;
DROP TABLE label;
DROP TABLE golden_query;
DROP TABLE receipt;
DROP TABLE concept_change;
DROP TABLE source_state;
DROP TABLE token;

CREATE INDEX item_position ON item (ns, kind, position);
CREATE INDEX item_at ON item (ns, kind, at, key);
CREATE INDEX item_ref ON item (ns, kind, ref, at, key) WHERE ref IS NOT NULL;
CREATE INDEX item_expiry ON item (ns, expires_at) WHERE expires_at IS NOT NULL;
