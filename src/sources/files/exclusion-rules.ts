import path from 'node:path';
import vm from 'node:vm';
import { LociError } from '../../core/errors.ts';
import { type TaskRunner, TaskThread, type ThreadTask } from '../../core/threads/task-thread.ts';
import { workerModule } from '../../core/threads/worker-module.ts';

/** A rule that leaves files out. It can be sent to a thread. */
export interface Rule {
  readonly rule: string;
  /** The file with the rule. */
  readonly from: string;
  /** `prefix` and `expression` are those of Obsidian. Case does not matter for them. */
  readonly kind: 'glob' | 'prefix' | 'expression';
  /** The rule is only for paths below this folder, as they are in it: `` or a path that ends with `/`. */
  readonly folder: string;
  /** The path of the vault in the folder with the rule, if it contains the vault: `` or a path that ends with `/`. */
  readonly inside: string;
}

/** Whether a path below the vault is left out. A folder ends with `/`. */
type RuleTest = (key: string) => boolean;

/** Expressions and globs of users may take exponential time. */
const MAX_MATCHING_MS = 500;
/** Paths that are compared at a time, which takes some milliseconds with a hundred globs. */
const BATCH_SIZE = 32;
/** More of them are compared in the thread. */
const MAX_INLINE_PREFIXES = 100;

/** Shared by all vaults, which have their turn one after the other. It starts with the first expression or glob. */
const thread = new TaskThread();
let context: vm.Context | null = null;

const MATCHING: ThreadTask<Parameters<typeof matchingInTime>, (number | null)[]> = {
  module: workerModule(import.meta.url, 'exclusion-rules'),
  name: matchingInTime.name,
  inline: (_vault, rules, entries) => matching(rules, entries),
};

/**
 * The first rule that leaves out each entry, or `undefined`, without blocking the event loop.
 * @param entries what leads to an entry: more than one path with symbolic links
 * @throws LociError `unreadable` when a rule takes too long
 */
export async function matchingRules(
  vault: string,
  rules: readonly Rule[],
  entries: readonly (readonly string[])[],
): Promise<(Rule | undefined)[]> {
  if (rules.length === 0) return entries.map(() => undefined);
  const isShort = rules.length <= MAX_INLINE_PREFIXES && rules.every(({ kind }) => kind === 'prefix');
  const runner: TaskRunner = thread.ownedBy(vault);
  const found: (Rule | undefined)[] = [];
  for (let start = 0; start < entries.length; start += BATCH_SIZE) {
    const batch = entries.slice(start, start + BATCH_SIZE);
    const size = isShort ? 0 : Number.POSITIVE_INFINITY;
    const numbers = await runner.run(MATCHING, [vault, rules, batch], { size });
    for (const number of numbers) found.push(number === null ? undefined : rules[number]);
  }
  return found;
}

/** Code that `vm` runs can be stopped, also within an expression. @throws LociError `unreadable` */
export function matchingInTime(
  vault: string,
  rules: readonly Rule[],
  entries: readonly (readonly string[])[],
): (number | null)[] {
  context ??= vm.createContext({});
  context['match'] = () => matching(rules, entries);
  try {
    return vm.runInContext('match()', context, { timeout: MAX_MATCHING_MS }) as (number | null)[];
  } catch (error) {
    // It may be an error of the other realm, which is no instance of `Error` here.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new LociError(
      'unreadable',
      `${vault} is not read, because what it excludes takes too long to compare with its paths: ${rules.map(({ rule }) => rule).join(', ')}`,
      { hint: 'Write simpler expressions, or name the folders.', cause: error },
    );
  }
}

function matching(rules: readonly Rule[], entries: readonly (readonly string[])[]): (number | null)[] {
  const tests = rules.map(testOf);
  return entries.map((paths) => {
    const index = tests.findIndex((test) => paths.some((each) => test(each)));
    return index < 0 ? null : index;
  });
}

export function testOf({ rule, kind, folder, inside }: Rule): RuleTest {
  const test = kind === 'glob' ? globTest(rule) : obsidianTest(rule, kind);
  if (folder === '') return (key) => test(`${inside}${key}`);
  return (key) => key.startsWith(folder) && test(key.slice(folder.length));
}

/** As in `.gitignore`: a glob without a slash matches names in every folder, and leaves out a folder with its contents. */
function globTest(glob: string): RuleTest {
  // `./x` is `/x`.
  const given = glob.normalize('NFC').replace(/^\.\//, '/');
  const pattern = given.replace(/\/+$/, '');
  const isForFolders = pattern !== given;
  const anchored = pattern.replace(/^\/+/, '');
  return (key) => {
    if (isForFolders && !key.endsWith('/')) return false;
    const plain = key.replace(/\/$/, '');
    return path.posix.matchesGlob(pattern.includes('/') ? plain : path.posix.basename(plain), anchored);
  };
}

/** As Obsidian: an expression is compared with files, and other texts with how paths begin. */
function obsidianTest(filter: string, kind: 'prefix' | 'expression'): RuleTest {
  if (kind === 'prefix') {
    const text = filter.normalize('NFC').toLowerCase();
    return (key) => key.toLowerCase().startsWith(text);
  }
  const expression = new RegExp(expressionOf(filter)!, 'i');
  return (key) => !key.endsWith('/') && expression.test(key);
}

/** `null` for an invalid expression. */
export function kindOf(filter: string): 'prefix' | 'expression' | null {
  const expression = expressionOf(filter);
  if (expression === undefined) return 'prefix';
  try {
    new RegExp(expression, 'i');
    return 'expression';
  } catch {
    return null;
  }
}

/** The expression of a rule of Obsidian, which is between slashes. */
function expressionOf(filter: string): string | undefined {
  return /^\/(.+)\/$/.exec(filter.normalize('NFC'))?.[1];
}
