-- The keys by which a request is known when it is repeated are items that expire: see `items/kinds.ts`. Lists of records are put together
-- from texts, so that JSON that a fault of the disk has changed stays as it is.
INSERT INTO item (ns, kind, key, position, at, expires_at, body)
  SELECT ns, 'idempotency', key, row_number() OVER (PARTITION BY ns ORDER BY expires_at, key), 0, expires_at,
    rtrim(json_object('fingerprint', fingerprint), '}') || ',"records":' || records || '}'
  FROM idempotency;

DROP TABLE idempotency;
