import { expect, it } from 'vitest';
import { sourceNameKey } from '../../config/sources-schema.ts';
import { namesOf } from './pool-vaults.ts';

it('ids that differ in case, in normalisation or in lone surrogates have other names, and none begins like another', () => {
  const ids = [
    'A',
    'a',
    'É',
    'É'.normalize('NFD'),
    '\ud800',
    '\ud801',
    'a/',
    'a\n',
    '',
    'x'.repeat(99),
    'x'.repeat(100),
  ];
  const names = ids.map((id) => sourceNameKey(namesOf({ id })));
  for (const [i, name] of names.entries())
    expect(names.filter((other) => other.startsWith(name))).toEqual([names[i]]);
});
