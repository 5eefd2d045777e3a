import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { describe, expect, it } from 'vitest';
import { loadSecretlint, SECRETLINT_ID, SECRETLINT_UNUSED, SECRETLINT_RULES } from './secretlint.ts';

describe('loadSecretlint', () => {
  it('lists every rule of the preset, used or not', () => {
    const listed = [...Object.keys(SECRETLINT_RULES), ...Object.keys(SECRETLINT_UNUSED)];
    const ids = (rules as readonly { meta: { id: string } }[]).map(({ meta }) => meta.id);
    expect(ids.sort()).toEqual(listed.map((name) => SECRETLINT_ID + name).sort());
  });

  it('keeps no state between texts', async () => {
    const find = await loadSecretlint();
    const token = ['npm', '7a'.repeat(18)].join('_');
    expect(find(`a ${token}`)).toEqual([{ kind: 'npm token', start: 2, end: 42 }]);
    expect(find('a')).toEqual([]);
    expect(find(`密${token}`)).toEqual([{ kind: 'npm token', start: 1, end: 41 }]);
  });

  it('does not treat a placeholder as a token', async () => {
    const find = await loadSecretlint();
    expect(find(['xoxb', 'your', 'slack', 'token'].join('-'))).toEqual([]);
  });
});
