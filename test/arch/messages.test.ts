import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CONFIG_KEYS } from '../../src/config/keys.ts';
import { ERROR_TABLE } from '../../src/core/errors.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';

const TEXTS = join(import.meta.dirname, '../../web/src/text');

it('the backticks of messages, descriptions and texts of the page enclose something', async () => {
  const texts = readdirSync(TEXTS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== 'text.ts')
    .map((file) => import(join(TEXTS, file)) as Promise<object>);
  const operations = await Promise.all(OPERATIONS.map(({ load }) => load()));
  const described = operations.map(({ description, examples }) => [description, examples]);
  const settings = CONFIG_KEYS.map(({ description }) => description);
  const messages = stringsIn([await Promise.all(texts), described, settings, ERROR_TABLE]);
  expect(messages.length).toBeGreaterThan(1000);
  expect(messages.filter((message) => !/^[^`]*(?:`[^`\n]+`[^`]*)*$/.test(message))).toEqual([]);
});

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
