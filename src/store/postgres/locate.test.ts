import { describe, expect, it } from 'vitest';
import { databaseName } from './locate.ts';

describe('a connection string', () => {
  it.each([
    ['postgres://me:a,b@db/loci', 'postgres://db:5432/loci'],
    ['postgresql://db:6432/loci?application_name=a,b', 'postgres://db:6432/loci'],
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
    'postgres:/loci:secret@db/loci',
    'postgres://me@db/loci&password=secret',
    'postgres://me:p@ss:sec/ret@db/loci',
    'host=db password=secret',
  ])('%s is refused, and a password in it is not named', (text) => {
    expect(() => databaseName(text)).toThrow(
      /^store\.connectionString is no URL that begins with postgres:\/\/$/,
    );
  });
});
