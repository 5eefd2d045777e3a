import { parseDocument } from 'yaml';
import { shortHash, sha256 } from '../../core/hash.ts';
import type { ThreadTask } from '../../core/threads/task-thread.ts';
import type { Json } from '../../core/types.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import { fieldsOf, portableOf, type Portable } from './portable-line.ts';

/** The file that says that a folder is an export; it is written last. */
export const MANIFEST = 'loci-export.json';

/** What is told in a file of its own. */
export type Filed = Extract<Portable, { readonly type: 'record' | 'startup' }>;

const FENCE = '---\n';
/** Characters of a title in a file's name. */
const NAME_LENGTH = 60;
const ID_DIGITS = 6;

/** Where in the folder a thing stands: readable, the same each time, and unique. */
export function pathOf(item: Filed): string {
  if (item.type === 'startup') {
    const { agent, key, deletedAt } = item.entry;
    const name = nameOf(`${agent} ${key}`);
    const unique = shortHash(JSON.stringify([agent, key])).slice(0, 8);
    return `startup/${deletedAt === null ? '' : '.deleted/'}${name === '' ? '' : `${name} `}${unique}.md`;
  }
  const { id, title, key, content, deletedAt } = item.record;
  const name = [title, key ?? '', content.slice(0, 200)].map(nameOf).find((text) => text !== '') ?? '';
  const number = String(id).padStart(ID_DIGITS, '0');
  return `${deletedAt === null ? 'records' : '.deleted'}/${number}${name === '' ? '' : ` ${name}`}.md`;
}

/** Letters and digits of any script, parted by spaces. */
function nameOf(text: string): string {
  const words = text.normalize('NFC').match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? [];
  return [...words.join(' ')].slice(0, NAME_LENGTH).join('').trim();
}

/** The number that a record's file begins with; behind all others where it has none. */
export function numberIn(path: string): number {
  const [digits] = /^\d+/.exec(path.slice(path.lastIndexOf('/') + 1)) ?? [];
  return digits === undefined ? Number.POSITIVE_INFINITY : Number(digits);
}

/** Front matter, each field on a line as JSON, which is YAML too; then the content, letter by letter. */
export function fileTextOf(item: Filed): string {
  const lines = Object.entries(fieldsOf(item)).map(([name, value]) => `${name}: ${yamlOf(value)}\n`);
  const content = item.type === 'record' ? item.record.content : item.entry.content;
  return `${FENCE}${lines.join('')}${FENCE}${content}`;
}

/** What JSON leaves as it is and some readers of YAML take for the end of a line, or do not take at all. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

function yamlOf(value: Json): string {
  return JSON.stringify(value).replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The thing that a file tells of, or in words what is wrong with it. */
export function filedIn(type: Filed['type'], text: string): Portable | string {
  const marked = text.startsWith('\ufeff') ? text.slice(1) : text;
  const fence = /^---\r?\n/.exec(marked)?.[0];
  const end = fence === undefined ? null : /\n---[ \t]*(?:\r?\n|$)/.exec(marked.slice(fence.length - 1));
  if (fence === undefined || end === null) return 'it does not begin with front matter between lines of ---';
  const start = fence.length - 1 + end.index;
  const fields = fieldsIn(marked.slice(fence.length, start + 1));
  if (typeof fields === 'string') return fields;
  const content = marked.slice(start + end[0].length);
  return portableOf(type, { ...fields, content: asExported(content, fields['content_hash']) });
}

/** For texts that may be long, or take long: YAML does. */
export const READ_FILED: ThreadTask<[type: Filed['type'], text: string], Portable | string> = {
  module: workerModule(import.meta.url, 'export-file-text'),
  name: filedIn.name,
  inline: filedIn,
};

/** Editors end every file with a line break. */
function asExported(content: string, hash: unknown): string {
  const shorter = content.slice(0, -1);
  return content.endsWith('\n') && sha256(content) !== hash && sha256(shorter) === hash ? shorter : content;
}

function fieldsIn(yaml: string): Record<string, unknown> | string {
  const lines = yaml.split('\n').filter((line) => line !== '');
  const fields = lines.map((line): [string, unknown] | null => {
    const [, name, value] = /^([a-z_]+): (.+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return null;
    try {
      return [name, JSON.parse(value)];
    } catch {
      return null;
    }
  });
  // As we wrote it; what people changed may be any YAML.
  if (fields.every((field) => field !== null)) return Object.fromEntries(fields);
  return fieldsInYaml(yaml);
}

/** UTF-16 units of YAML that people wrote; a hostile megabyte takes minutes. */
const MAX_YAML = 32_768;

function fieldsInYaml(yaml: string): Record<string, unknown> | string {
  if (yaml.length > MAX_YAML)
    return `its front matter, which is not as it was exported, has more than ${String(MAX_YAML)} characters`;
  try {
    // To compare each key with all others takes long; of two that are the same, the latter holds, as in JSON.
    const document = parseDocument(yaml, { logLevel: 'silent', uniqueKeys: false });
    const [fault] = document.errors;
    if (fault !== undefined) return `its front matter is broken: ${fault.message.split('\n')[0] ?? ''}`;
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
    return 'its front matter is no list of fields';
  } catch (error) {
    // A hundred aliases of aliases, or lists without end.
    return `its front matter cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
