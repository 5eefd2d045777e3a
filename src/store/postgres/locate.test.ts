import { describe, expect, it } from 'vitest';
import { databaseName } from './locate.ts';

describe('a connection string', () => {
  it.each([
    ['postgres://me:a,b@db/loci', 'postgres://db:5432/loci'],
    ['postgresql://db:6432/loci?application_name=a,b', 'postgres://db:6432/loci'],
    ['postgres://me:a%2Fb%40c@DB.example.org/loci', 'postgres://db.example.org:5432/loci'],
    ['postgres://[::1]:5433/loci', 'postgres://[::1]:5433/loci'],
    ['postgres://me:pw@/loci?host=/var/run/postgresql', 'postgres://[/var/run/postgresql]:5432/loci'],
    ['postgres://%2Fvar%2Frun/loci?port=5999', 'postgres://[/var/run]:5999/loci'],
    ['postgres:///loci?host=db', 'postgres://db:5432/loci'],
  ])('%s names one database', (text, name) => {
    expect(databaseName(text)).toBe(name);
  });

  it.each([
    'postgres://a:5432,b:5433/loci?target_session_attrs=read-write',
    'postgres://me:secret@a,b/loci',
    'postgres:///loci?host=a,b',
    'postgres:///loci?port=1&host=a%2Cb',
  ])('%s names several hosts, which is refused', (text) => {
    expect(() => databaseName(text)).toThrow('several hosts');
  });

  it.each([
    ['postgres:/loci:secret@db/loci', 'is no URL that begins with postgres://'],
    ['mysql://loci:secret@db/loci', 'is no URL that begins with postgres://'],
    ['host=db password=secret', 'is in the form key=value, but Loci needs a URL'],
    ...[
      'postgres://me@db/loci&password=secret',
      'postgres://me:p@ss:sec/ret@db/loci',
      'postgres://me:se#ret@db/loci',
      'postgres://me:12/secret@db/loci',
      'postgres://me:12?secret@db/loci',
      'postgres://me:100%@db/loci',
      'postgres://me:two words@db/loci',
    ].map((text) => [text, 'has a character that must be percent-encoded']),
  ])('%s is refused, and a password in it is not named', (text, what) => {
    expect(() => databaseName(text!)).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        message: `store.connectionString ${what!}`,
      }) as Error,
    );
  });
});
