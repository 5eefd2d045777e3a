import path from 'node:path';
import { frontMatterSpan } from '../markdown/front-matter-span.ts';

/** A note whose name is that of a copy which a sync program left beside another note. */
interface NamedCopy {
  /** The key of the note that it may be a copy of. */
  readonly original: string;
  /** What the texts must have in common; `null` if the name alone says it. */
  readonly needs: 'beginning and most words' | 'most words' | null;
}

interface Form {
  /** The first group is the name of the original. */
  readonly pattern: RegExp;
  readonly needs: NamedCopy['needs'];
}

/** A name of a computer on Windows or macOS: `DESKTOP-AB12CD`, `SAMS-PC`. `DRAFT` and `2024` are none. */
const COMPUTER = String.raw`(?:[A-Z\d]{1,15}-){0,3}(?:DESKTOP|LAPTOP|PC|WIN|MAC|MACBOOK|IMAC|SURFACE)(?:-[A-Z\d]{1,15}){0,3}`;
const CONFLICTED =
  'conflicted copy|case conflict|selective sync conflict|in Konflikt stehende Kopie|copie en conflit|copia en conflicto|copia in conflitto';

/** Names without the ending, as Syncthing, Nextcloud and ownCloud, Dropbox and Obsidian Sync, iCloud, and OneDrive write them. */
const FORMS: readonly Form[] = [
  { pattern: /^(.+)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z\d]{1,20})?$/i, needs: null },
  { pattern: /^(.+)_conflict-\d{8}-\d{6}$/i, needs: null },
  {
    pattern: new RegExp(
      String.raw`^(.+?) \((?:[^()]{0,100} )?(?:${CONFLICTED})(?: [^()]{0,100})?\)(?: ?\(\d{1,3}\))?$`,
      'i',
    ),
    needs: null,
  },
  { pattern: /^(.+) (?:[2-9]|[1-9]\d)$/, needs: 'beginning and most words' },
  { pattern: new RegExp(`^(.+?)-${COMPUTER}$`), needs: 'most words' },
];

/** The note of a listing that a note is a copy of by its name; `null` where there is none beside it. */
export function namedCopyOf(key: string, listed: ReadonlySet<string>): NamedCopy | null {
  const { dir, name, ext } = path.posix.parse(key);
  for (const { pattern, needs } of FORMS) {
    const base = pattern.exec(name)?.[1];
    if (base === undefined) continue;
    const original = path.posix.join(dir, `${base}${ext}`);
    if (listed.has(original)) return { original, needs };
  }
  return null;
}

/** Shorter beginnings are equal by chance. In UTF-16 units. */
const MIN_BEGINNING = 20;
/** The share of the different words of both texts that both have. Notes of one template have fewer. */
const MIN_SHARED_WORDS = 0.7;

/** Whether two texts are as similar as two versions of one note. */
export function areVersions(a: string, b: string, needs: NonNullable<NamedCopy['needs']>): boolean {
  const [one, other] = [bodyOf(a), bodyOf(b)];
  const isLong = Math.min(one.length, other.length) >= MIN_BEGINNING;
  const haveBeginning = isLong && one.slice(0, MIN_BEGINNING) === other.slice(0, MIN_BEGINNING);
  if (needs === 'beginning and most words' && !haveBeginning) return false;
  const [words, otherWords] = [wordsOf(one), wordsOf(other)];
  const shared = [...words].filter((word) => otherWords.has(word)).length;
  const different = words.size + otherWords.size - shared;
  return shared > 0 && shared >= MIN_SHARED_WORDS * different;
}

function bodyOf(text: string): string {
  return text
    .slice(frontMatterSpan(text)?.bodyStart ?? 0)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu));
}
