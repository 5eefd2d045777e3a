import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import fc from 'fast-check';
import { temporaryFolder } from '../../../test/contract/engines.ts';
import { GatewayMemory } from './gateway-memory.ts';
import type { PluginApi, PromptRequest } from './host/api.ts';
import { flushPlan, memorySection, StartupPrompt } from './prompt.ts';
import { setStartup } from '../../engine/startup/startup.ts';

function memoryIn(home: string): GatewayMemory & AsyncDisposable {
  const api = {
    pluginConfig: { home, embedding: { provider: 'none' } },
    logger: { info: () => undefined, warn: () => undefined },
    runtime: { config: { current: () => ({}) }, agent: { resolveAgentWorkspaceDir: () => home } },
  } as unknown as PluginApi;
  const memory = new GatewayMemory('memory-loci', api);
  return Object.assign(memory, { [Symbol.asyncDispose]: () => memory.close() });
}

const REQUEST: PromptRequest = {
  availableTools: new Set(),
  agentId: 'main',
  agentSessionKey: 'agent:main:a',
};

it('the first turn of a session has the startup text, also while the store is being opened', async () => {
  await using folder = await temporaryFolder();
  {
    await using before = memoryIn(folder.path);
    const { engine } = await before.open();
    await setStartup(await engine.loci(), { key: 'soul', content: 'You are Ada.' });
  }
  await using memory = memoryIn(folder.path);
  const prompt = new StartupPrompt(memory);
  const first = await prompt.lines(REQUEST);
  expect(first.join('\n')).toContain('You are Ada.');
  for (let turn = 0; turn < 10; turn++) expect(await prompt.lines(REQUEST)).toEqual(first);
});

it('a turn has no startup text, and no error, if the store cannot be opened', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'loci.db'));
  await using memory = memoryIn(folder.path);
  expect(await new StartupPrompt(memory).lines(REQUEST)).toEqual([]);
});

it('a turn of somebody else has no startup text, but one that the host starts in a session of the owner has it', async () => {
  await using folder = await temporaryFolder();
  await using memory = memoryIn(folder.path);
  const { engine } = await memory.open();
  await setStartup(await engine.loci(), { key: 'soul', content: 'You are Ada.' });
  const prompt = new StartupPrompt(memory);
  const turn = { sessionKey: REQUEST.agentSessionKey!, sessionId: 'id' };
  memory.turns.note({ ...turn, senderIsOwner: false });
  expect(await prompt.lines(REQUEST)).toEqual([]);
  memory.turns.note({ ...turn, senderIsOwner: true });
  const text = await prompt.lines(REQUEST);
  expect(text.join('\n')).toContain('You are Ada.');
  // The host starts a turn, such as the report of a subagent.
  memory.turns.note({ ...turn, senderIsOwner: false });
  expect(await prompt.lines(REQUEST)).toEqual(text);
  memory.turns.note({ ...turn, senderIsOwner: false, messageChannel: 'telegram', requesterSenderId: 'bob' });
  expect(await prompt.lines(REQUEST)).toEqual([]);
  await memory.close();
  expect(await prompt.lines(REQUEST)).toEqual([]);
  memory.turns.note({ ...turn, senderIsOwner: true });
  expect(await prompt.lines(REQUEST)).toEqual(text);
});

it('the section about memory names only the tools that the turn has, with the same bytes each time', () => {
  const section = (...tools: string[]): string =>
    memorySection({ availableTools: new Set(tools) }).join('\n');
  expect(section('exec')).toBe('');
  expect(section('memory_search', 'memory_get')).not.toContain('memory_write');
  expect(section('memory_write', 'memory_search')).toBe(section('memory_search', 'memory_write'));
});

const NOW = Date.parse('2026-11-24T23:30:00Z');

function configWith(defaults: object): { readonly cfg: object; readonly nowMs: number } {
  return { cfg: { agents: { defaults } }, nowMs: NOW };
}

it('the file has the date in the time zone of the user', () => {
  expect(flushPlan(configWith({ userTimezone: 'Pacific/Auckland' }))?.relativePath).toBe(
    'memory/2026-11-25.md',
  );
  expect(flushPlan(configWith({ userTimezone: 'America/Lima' }))?.relativePath).toBe('memory/2026-11-24.md');
});

it('a time zone that does not exist is ignored', () => {
  expect(flushPlan(configWith({ userTimezone: 'Moon/Tycho' }))?.relativePath).toMatch(
    /^memory\/2026-11-2[45]\.md$/,
  );
});

it('there is no plan if the owner has turned the flush off', () => {
  expect(flushPlan(configWith({ compaction: { memoryFlush: { enabled: false } } }))).toBeNull();
});

it('the thresholds fit into every context window', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 2_000_000 }), (contextWindowTokens) => {
      const plan = flushPlan({ nowMs: NOW, contextWindowTokens });
      expect(
        (plan?.reserveTokensFloor ?? Infinity) + (plan?.softThresholdTokens ?? Infinity),
      ).toBeLessThanOrEqual(contextWindowTokens);
    }),
  );
});
