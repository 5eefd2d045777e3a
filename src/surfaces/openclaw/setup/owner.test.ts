import { expect, it } from 'vitest';
import type { JsonMap } from '../../../core/json.ts';
import { ownerProblem } from './owner.ts';

const CHANNELS = { channels: { telegram: { enabled: true } } };
const plugin = (nonOwner: JsonMap): JsonMap => ({
  plugins: { entries: { 'memory-loci': { config: { nonOwner } } } },
});

it.each<[what: string, config: JsonMap, isProblem: boolean]>([
  ['there is a channel, and no owner', CHANNELS, true],
  ['everybody may use commands', { ...CHANNELS, commands: { ownerAllowFrom: ['*', 'telegram:*'] } }, true],
  ['an owner is named', { ...CHANNELS, commands: { ownerAllowFrom: ['telegram:7'] } }, false],
  ['there is no channel', { channels: { defaults: {} } }, false],
  ['others may read', { ...CHANNELS, ...plugin({ read: 'agent' }) }, false],
  ['senders have their own memory', { ...CHANNELS, ...plugin({ perSender: true }) }, false],
  ['something is shared', { ...CHANNELS, ...plugin({ shared: ['family'] }) }, false],
])('nobody has memory on channels, or somebody has: %s', (_, config, isProblem) => {
  expect(ownerProblem(config) !== null).toBe(isProblem);
});
