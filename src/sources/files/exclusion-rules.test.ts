import { expect, it } from 'vitest';
import { kindOf, matchingRules, type Rule } from './exclusion-rules.ts';

const rule = (text: string, place: Partial<Rule> = {}): Rule => ({
  ...{ rule: text, from: 'app.json', kind: kindOf(text)!, folder: '', inside: '' },
  ...place,
});

async function excluded(rules: readonly Rule[], ...keys: readonly string[]): Promise<string[]> {
  const found = await matchingRules(
    'notes',
    rules,
    keys.map((key) => [key]),
  );
  return keys.filter((_, i) => found[i] !== undefined);
}

it('an expression that takes exponential time is stopped, and does not block the event loop or other vaults', async () => {
  const slow = `${'a'.repeat(60)}.md`;
  // The thread has started then.
  expect(await excluded([rule('/^b/')], 'b.md', 'c.md')).toEqual(['b.md']);
  const [before, all] = [process.threadCpuUsage(), process.cpuUsage()];
  await expect(excluded([rule('/(?=a)^(a+)+$/')], slow)).rejects.toMatchObject({
    code: 'unreadable',
    message:
      'notes is not read, because what it excludes takes too long to compare with its paths: /(?=a)^(a+)+$/',
  });
  const { user, system } = process.threadCpuUsage(before);
  const total = process.cpuUsage(all);
  expect(user + system).toBeLessThan((total.user + total.system) / 4);
  expect(await excluded([rule('/^b/')], 'b.md', slow)).toEqual(['b.md']);
});

it.each<[rules: Rule[], keys: string[]]>([
  [[rule('PRIV')], ['priv/', 'priv/a.md']],
  [[rule(String.raw`/^in\/(?!keep)/`)], ['in/b.md']],
  [[rule('/^(?<x>a)\\k<x>/')], ['aa.md']],
  [[rule('in/', { folder: 'v/' })], ['v/in/']],
  [[rule('/^v.in.b/', { inside: 'v/' })], ['in/b.md']],
  [Array.from({ length: 101 }, (_, i) => rule(i === 100 ? 'aa' : `x${String(i)}`)), ['aa.md']],
])('rules %# leave out %j', async (rules, keys) => {
  const all = ['priv/', 'priv/a.md', 'in/', 'in/b.md', 'in/keep.md', 'v/', 'v/in/', 'aa.md'];
  expect(await excluded(rules, ...all)).toEqual(keys);
});

it('the rule that is named is the first that leaves out a path, of hundreds of paths', async () => {
  const rules = [rule('/5/'), rule('*4.md', { kind: 'glob' }), rule('1')];
  const paths = Array.from({ length: 200 }, (_, i) => [`${String(i)}.md`]);
  const found = await matchingRules('notes', rules, paths);
  expect([0, 1, 14, 15, 154].map((i) => found[i]?.rule)).toEqual([undefined, '1', '*4.md', '/5/', '/5/']);
});
