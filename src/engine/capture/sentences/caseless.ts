const TOKEN = /\\p\{\w+\}|\\.|\(\?<\w+>|\(\?-i:|\[(?:\\.|[^\]\\])*\]|[()]|\p{L}/gu;
const IN_CLASS = /\\p\{\w+\}|\\.|(\p{L})(?:-(\p{L}))?/gu;

/**
 * A pattern that matches both cases, except within `(?-i:…)`. V8 compiles that group wrongly with the flag `i` when it does not optimize,
 * as it does after a process has compiled a megabyte of patterns: each letter is written in both cases instead.
 */
export function caseless(pattern: string): RegExp {
  let depth = 0;
  let sensitiveSince = Infinity;
  const source = pattern.replaceAll(TOKEN, (token) => {
    if (token === ')') {
      if (--depth < sensitiveSince) sensitiveSince = Infinity;
      return token;
    }
    if (token.startsWith('(')) {
      depth++;
      if (token !== '(?-i:') return token;
      sensitiveSince = Math.min(sensitiveSince, depth);
      return '(?:';
    }
    if (token.startsWith('\\') || sensitiveSince <= depth) return token;
    return token.startsWith('[') ? token.replaceAll(IN_CLASS, bothCases) : `[${bothCases(token, token)}]`;
  });
  return new RegExp(source, 'u');
}

function bothCases(token: string, from?: string, to?: string): string {
  if (from === undefined) return token;
  const rangeOf = (first: string, last?: string): string => (last === undefined ? first : `${first}-${last}`);
  // The upper case of ß is two letters.
  const upper = from.toUpperCase();
  const both = [rangeOf(from.toLowerCase(), to?.toLowerCase()), rangeOf(upper, to?.toUpperCase())];
  return upper.length === from.length ? both.join('') : from;
}
