/** A credential in a text. Offsets count UTF-16 code units, as `slice` does; `end` is behind the last one. */
export interface Secret {
  /** What it is, in words that hold nothing of it: `AWS access key`. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** One kind of credential, and how it is known. */
export interface SecretPattern {
  readonly kind: string;
  /** Global, and never empty. What is secret is its group `secret` (then with the flag `d`), or all that matches. */
  readonly pattern: RegExp;
  /** A last look at the secret: false when it only looks like one. */
  readonly accept?: (secret: string, match: RegExpExecArray) => boolean;
}

/** What a list of patterns finds in a text, in the order of the list. */
export function findPatterns(text: string, patterns: readonly SecretPattern[]): Secret[] {
  return patterns.flatMap(({ kind, pattern, accept }) => {
    const found: Secret[] = [];
    // Not matchAll: it copies the pattern, which takes longer than to search a short text.
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const [start, end] = match.indices?.groups?.['secret'] ?? [match.index, match.index + match[0].length];
      if (accept?.(text.slice(start, end), match) !== false) found.push({ kind, start, end });
    }
    return found;
  });
}
