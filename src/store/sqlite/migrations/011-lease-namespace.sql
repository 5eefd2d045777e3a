-- A lease belongs to a namespace, or to the administrative one if it is for the whole store. Leases last seconds, so an
-- upgraded store starts without any.
DROP TABLE lease;

CREATE TABLE lease (
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  holder TEXT NOT NULL,
  token INTEGER NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;

-- Each namespace removes its own expired history.
DROP INDEX history_expiry;
CREATE INDEX history_expiry ON history (ns, expires_at);
