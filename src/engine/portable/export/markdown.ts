import { shortHash } from '../../../core/ids.ts';
import { jsonEscapes } from '../../../core/text/invisible-characters.ts';
import type { Json } from '../../../core/types.ts';
import { ITEM_TYPE_NAMES, itemType, type ExportItem } from '../items/items.ts';

/** Written last. Its presence shows that a folder is a complete export. */
export const MANIFEST = 'loci-export.json';

/** Folders of an export, in which the export writes its files. */
export const FOLDERS: readonly string[] = [
  'records',
  '.deleted',
  ...ITEM_TYPE_NAMES.filter((type) => type !== 'record'),
];

/** An item that gets a Markdown file of its own. */
export type MarkdownItem = Extract<ExportItem, { readonly type: 'record' | 'startup' }>;

const MAX_NAME_LENGTH = 60;
const ID_DIGITS = 6;

/** The path of an item's file in the folder: readable, unique, and the same in each export. */
export function markdownPath(item: MarkdownItem): string {
  if (item.type === 'startup') {
    const { agent, key, deletedAt } = item.value;
    const name = fileNameOf(`${agent} ${key}`);
    const unique = shortHash(JSON.stringify([agent, key])).slice(0, 8);
    return `startup/${deletedAt === null ? '' : '.deleted/'}${name === '' ? '' : `${name} `}${unique}.md`;
  }
  const { id, title, key, content, deletedAt } = item.value;
  const name = [title, key ?? '', content.slice(0, 200)].map(fileNameOf).find((text) => text !== '') ?? '';
  const number = String(id).padStart(ID_DIGITS, '0');
  return `${deletedAt === null ? 'records' : '.deleted'}/${number}${name === '' ? '' : ` ${name}`}.md`;
}

/** The letters and digits of a text, in any script, with spaces between words. */
function fileNameOf(text: string): string {
  const words = text.normalize('NFC').match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? [];
  return [...words.join(' ')].slice(0, MAX_NAME_LENGTH).join('').trim();
}

/** Front matter with a line for each field, its value as JSON, which is valid YAML; then the content unchanged. */
export function markdownOf({ type, value }: MarkdownItem): string {
  const { content: _, ...fields } = itemType(type).format.fields(value);
  const lines = Object.entries(fields).map(([name, field]) => `${name}: ${yamlOf(field)}\n`);
  return `---\n${lines.join('')}---\n${value.content}`;
}

/** Characters that JSON does not escape, and that some YAML readers reject or read as the end of a line. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

function yamlOf(value: Json): string {
  return JSON.stringify(value).replace(UNPRINTABLE, jsonEscapes);
}
