import { parsePatch } from 'diff';
import { sha256 } from '../../core/ids.ts';
import { isJsonMap } from '../../core/json.ts';
import type { Json } from '../../core/types.ts';

/** The text before a change, of the text after it and what `contentDiff` says; `null` if they do not belong together. */
export function formerText(after: string, change: Json): string | null {
  if (!isJsonMap(change)) return null;
  if (typeof change['patch'] === 'string') return withoutPatch(after, change['patch']);
  const { before, after: described } = change;
  const isSame = isJsonMap(described ?? null) && (described as { sha256?: Json }).sha256 === sha256(after);
  return typeof before === 'string' && isSame ? before : null;
}

/** Every line with its line break. */
const LINES = /[^\n]*\n|[^\n]+$/g;
const NO_LINE_BREAK = '\\';

/** Each hunk must stand exactly where it says. A library would search for another place, which may be a wrong one. */
function withoutPatch(after: string, patch: string): string | null {
  const lines = after.match(LINES) ?? [];
  const former: string[] = [];
  let next = 0;
  for (const { newStart, newLines, lines: changes } of parsePatch(patch)[0]?.hunks ?? []) {
    const start = newStart - 1;
    if (start < next || start + newLines > lines.length) return null;
    for (; next < start; next++) former.push(lines[next]!);
    for (const [i, change] of changes.entries()) {
      const kind = change[0];
      if (kind === NO_LINE_BREAK) continue;
      const line = change.slice(1) + (changes[i + 1]?.[0] === NO_LINE_BREAK ? '' : '\n');
      if (kind !== '-' && lines[next++] !== line) return null;
      if (kind !== '+') former.push(line);
    }
  }
  // `concat` and `push` with all lines at once would fail for long texts.
  for (; next < lines.length; next++) former.push(lines[next]!);
  return former.join('');
}
