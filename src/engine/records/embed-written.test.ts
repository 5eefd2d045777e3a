import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openSqliteInMemory } from '../../../test/contract/sqlite-in-memory.ts';
import { configSchema } from '../../config/schema.ts';
import type { Embedder } from '../../embed/embedder.ts';
import type { Passage } from '../../core/types.ts';
import { EngineContext } from '../context.ts';
import { embedWritten } from './write.ts';

const PASSAGE: Passage = {
  ordinal: 0,
  startLine: 1,
  endLine: 1,
  headings: [],
  text: 'oven',
  hash: 'ab'.repeat(32),
  context: null,
};

let context: EngineContext;

beforeEach(() => {
  vi.useFakeTimers();
  context = EngineContext.create(configSchema.parse({}), openSqliteInMemory());
});

afterEach(async () => {
  vi.useRealTimers();
  await context.close();
});

it('does not wait longer than ten seconds for a model', async () => {
  const never = { embed: () => Promise.withResolvers<Float32Array[]>().promise } as unknown as Embedder;
  const vectors = { embedder: never, generation: 1 };
  const writing = embedWritten(context, vectors, { title: '', metadata: {} }, [PASSAGE]);
  await vi.advanceTimersByTimeAsync(9_999);
  const before = await Promise.race([writing, Promise.resolve('waits')]);
  await vi.advanceTimersByTimeAsync(1);
  expect([before, await writing]).toEqual([
    'waits',
    { embedded: false, why: expect.stringContaining('still being embedded') as string },
  ]);
});
