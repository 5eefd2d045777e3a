import type { Json } from '../../core/types.ts';
import type { FieldSchema, InputField } from '../../operations/shared/input.ts';
import { withCommandNames } from '../shared/command-names.ts';
import { shellWord } from '../../core/text/split-command.ts';
import type { CommandSyntax } from './commands/operation-command.ts';

/** A field of an operation's input as an option of its command. */
export interface FieldOption {
  readonly field: string;
  /** Without dashes. The option of a list has a name in the singular: `tag` for `tags`. */
  readonly name: string;
  /** A second name, which is accepted but not listed: the plural for a list, or a synonym. */
  readonly alias: string | null;
  /** Each value of a `list` is one entry; each value of a `commaList` may hold several, separated by commas. */
  readonly kind: 'flag' | 'number' | 'text' | 'list' | 'commaList';
  readonly shortOption: string | null;
  readonly placeholder: string;
  readonly description: string;
  /** Whether the flag also has a `--no-…` form. */
  readonly negatable: boolean;
}

/** Options for the fields that are not operands. */
export function fieldOptions(fields: readonly InputField[], syntax: CommandSyntax): FieldOption[] {
  const operands = new Set(syntax.operands.map(({ field }) => field));
  return fields
    .filter(({ name }) => !operands.has(name) && !syntax.inputOnly.includes(name))
    .map((field) => fieldOption(field, syntax));
}

function fieldOption({ name: field, schema }: InputField, syntax: CommandSyntax): FieldOption {
  const plural = field.replaceAll('_', '-');
  const kind = kindOf(schema, syntax.commaLists.includes(field));
  const name = isList(kind) ? singular(plural) : plural;
  const synonym = syntax.aliases[field] ?? null;
  const choices = schema.enum ?? schema.items?.enum;
  const negatable = syntax.negatable.includes(field);
  const description = [
    withCommandNames(schema.description ?? ''),
    REPETITION[kind] ?? '',
    synonym === null ? '' : ` Also --${synonym}.`,
    negatable ? ` --no-${kind === 'flag' ? (synonym ?? name) : name} turns it off.` : '',
  ].join('');
  return {
    field,
    name,
    alias: name === plural ? synonym : plural,
    kind,
    shortOption: syntax.shortOptions[field] ?? null,
    placeholder: choices === undefined ? (kind === 'number' ? 'n' : name) : choices.join('|'),
    description,
    negatable,
  };
}

const REPETITION: Readonly<Partial<Record<FieldOption['kind'], string>>> = {
  list: ' May be repeated.',
  commaList: ' May be repeated, or take several separated by commas.',
};

export function isList(kind: FieldOption['kind']): boolean {
  return kind === 'list' || kind === 'commaList';
}

function kindOf({ type, items }: FieldSchema, isCommaList: boolean): FieldOption['kind'] {
  switch (type) {
    case 'boolean':
      return 'flag';
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return isCommaList || items?.enum !== undefined ? 'commaList' : 'list';
    default:
      return 'text';
  }
}

function singular(plural: string): string {
  return plural.replace(/ies$/, 'y').replace(/s$/, '');
}

/** Parses the value of an option. Text that is not a number stays text, so that the schema rejects it and names the field. */
export function fieldValue(kind: FieldOption['kind'], given: string | boolean | readonly string[]): Json {
  if (isList(kind)) {
    const entries = (Array.isArray(given) ? given : [given]) as string[];
    return kind === 'list' ? entries : entries.flatMap(splitList);
  }
  const isNumber = typeof given === 'string' && given.trim() !== '' && Number.isFinite(Number(given));
  return kind === 'number' && isNumber ? Number(given) : (given as string | boolean);
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The command line, quoted for a shell, that passes this input to the command of these words. */
export function commandLine(
  words: readonly string[],
  input: Readonly<Record<string, Json>>,
  fields: readonly InputField[],
  syntax: CommandSyntax,
): string {
  const operands = syntax.operands.flatMap(({ field }) => {
    const value = input[field];
    if (value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map(shellWord);
  });
  const options = fieldOptions(fields, syntax).flatMap(({ field, name, kind }) => {
    const value = input[field];
    if (value === undefined) return [];
    if (kind === 'flag') return value === true ? [`--${name}`] : [];
    return (Array.isArray(value) ? value : [value]).map((each) => `--${name} ${shellWord(each)}`);
  });
  return ['loci', ...words, ...operands, ...options].join(' ');
}
