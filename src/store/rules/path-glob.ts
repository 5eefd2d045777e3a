import { LRUCache } from 'lru-cache';

/**
 * A pattern of paths: `*` is any text within a folder, `**` any text, `?` any character but `/`. As in `.gitignore`, a pattern
 * without `/` holds in every folder, another one begins at the root of the vault. Without wildcards, or with `/` at its end, it is the
 * path of a note, or of a folder with all that is below it. Globs and paths are compared in the form of `foldTag`.
 */
export type PathGlob = string;

/** A character to match, a wildcard, or `optional`: the next two steps may be left out. */
type Step = { readonly character: string } | { readonly wildcard: '?' | '*' | '**' | 'optional' };

/** The steps of a part of a glob, and its regular expression. */
interface Part {
  readonly steps: readonly Step[];
  readonly expression: string;
}

const PARTS = /\*{2,}\/|\/\*{2,}$|\*{2,}|./gsu;
const SLASH: Step = { character: '/' };
const [ANY, OPTIONAL]: Step[] = [{ wildcard: '**' }, { wildcard: 'optional' }];

function partsOf(glob: PathGlob): Part[] {
  const given = glob.replaceAll('\\', '/');
  const path = given.replaceAll(/^\/|\/$/g, '');
  const isRooted = given.startsWith('/') || path.includes('/') || path.startsWith('**');
  const isWhole = /[*?]/.test(given) && !given.endsWith('/');
  const whole = path === '' ? '**' : `${isRooted ? '' : '**/'}${path}${isWhole ? '' : '/**'}`;
  return (whole.match(PARTS) ?? []).map((part): Part => {
    if (part === '*') return { steps: [{ wildcard: '*' }], expression: '[^/]*' };
    if (part === '?') return { steps: [{ wildcard: '?' }], expression: '[^/]' };
    if (!part.includes('**'))
      return { steps: [{ character: part }], expression: part.replace(/[\\^$.|+()[\]{}]/, '\\$&') };
    if (part.startsWith('/')) return { steps: [OPTIONAL!, SLASH, ANY!], expression: '(?:/.*)?' };
    if (part.endsWith('/')) return { steps: [OPTIONAL!, ANY!, SLASH], expression: '(?:.*/)?' };
    return { steps: [ANY!], expression: '.*' };
  });
}

/** The regular expression of a glob in the syntax of PostgreSQL. */
export function globExpression(glob: PathGlob): string {
  return `^${partsOf(glob)
    .map(({ expression }) => expression)
    .join('')}$`;
}

const MAX_MATCHERS = 100;
const MATCHERS = new LRUCache<PathGlob, GlobMatcher>({ max: MAX_MATCHERS });

/** Whether a path matches a glob. The time grows with the length of the path, times that of the glob at most. */
export function matchesGlob(glob: PathGlob, path: string): boolean {
  const matcher = MATCHERS.get(glob) ?? new GlobMatcher(glob);
  MATCHERS.set(glob, matcher);
  return matcher.matches(path);
}

/** The steps that may come next, and the states that the characters read so far lead to. */
interface State {
  readonly steps: readonly number[];
  readonly next: Map<string, State>;
}

/** States in memory. A glob with many wildcards has more, which are computed again. */
const MAX_STATES = 1000;

/** A deterministic automaton whose states are made when a path first needs them. */
class GlobMatcher {
  readonly #steps: readonly Step[];
  readonly #start: State;
  readonly #states = new Map<string, State>();

  constructor(glob: PathGlob) {
    this.#steps = partsOf(glob).flatMap(({ steps }) => steps);
    this.#start = this.#stateOf([0]);
  }

  matches(path: string): boolean {
    let state = this.#start;
    for (const character of path) state = state.next.get(character) ?? this.#after(state, character);
    return state.steps.at(-1) === this.#steps.length;
  }

  #after(state: State, character: string): State {
    const next = this.#stateOf(
      state.steps.flatMap((at) => {
        const step = this.#steps[at];
        if (step === undefined) return [];
        if ('character' in step) return step.character === character ? [at + 1] : [];
        if (step.wildcard === '**') return [at];
        if (character === '/' || step.wildcard === 'optional') return [];
        return [step.wildcard === '*' ? at : at + 1];
      }),
    );
    if (this.#states.size < MAX_STATES) state.next.set(character, next);
    return next;
  }

  /** The state of these steps and of those after them that need no character, in their order. */
  #stateOf(given: readonly number[]): State {
    const reached = new Set(given);
    for (let at = 0; at < this.#steps.length; at++) {
      const step = this.#steps[at]!;
      if (!reached.has(at) || 'character' in step || step.wildcard === '?') continue;
      reached.add(at + 1);
      if (step.wildcard === 'optional') reached.add(at + 3);
    }
    const steps = [...reached].sort((a, b) => a - b);
    const key = steps.join();
    const state = this.#states.get(key) ?? { steps, next: new Map() };
    if (this.#states.size < MAX_STATES) this.#states.set(key, state);
    return state;
  }
}
