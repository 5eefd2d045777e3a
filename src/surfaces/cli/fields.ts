import type { Json } from '../../core/types.ts';
import type { FieldSchema, InputField } from '../../operations/shared/input.ts';
import { inCommands } from '../shared/command-names.ts';
import type { CommandShape } from './shapes.ts';

/** A field of a verb's input as an option of a command. */
export interface FieldOption {
  readonly field: string;
  /** Without dashes: `record-type`; of a list, one entry: `tag`. */
  readonly name: string;
  /** The name of the list as a whole, or what people also say: understood too. */
  readonly alias: string | null;
  /** The entries of a `list` may hold commas; in a `commaList` commas part them. */
  readonly kind: 'flag' | 'number' | 'text' | 'list' | 'commaList';
  readonly letter: string | null;
  readonly placeholder: string;
  readonly description: string;
  /** A flag that may be taken back: `--no-reinforce`. */
  readonly negatable: boolean;
}

/** The fields that no operand takes. */
export function fieldOptions(fields: readonly InputField[], shape: CommandShape): FieldOption[] {
  const operands = new Set(shape.operands.map(({ field }) => field));
  return fields
    .filter(({ name }) => !operands.has(name) && !shape.inputOnly.includes(name))
    .map((field) => fieldOption(field, shape));
}

function fieldOption({ name: field, schema }: InputField, shape: CommandShape): FieldOption {
  const plural = field.replaceAll('_', '-');
  const kind = kindOf(schema, shape.commaLists.includes(field));
  const name = isList(kind) ? singular(plural) : plural;
  const also = shape.aliases[field] ?? null;
  const choices = schema.enum ?? schema.items?.enum;
  const description = inCommands(schema.description ?? '');
  const negatable = shape.negatable.includes(field);
  const negation = negatable ? ` --no-${name}: no longer.` : '';
  return {
    field,
    name,
    alias: name === plural ? also : plural,
    kind,
    letter: shape.letters[field] ?? null,
    placeholder: choices === undefined ? (kind === 'number' ? 'n' : name) : choices.join('|'),
    description: `${description}${REPEATED[kind] ?? ''}${also === null ? '' : ` Also --${also}.`}${negation}`,
    negatable,
  };
}

const REPEATED: Readonly<Partial<Record<FieldOption['kind'], string>>> = {
  list: ' May be repeated.',
  commaList: ' May be repeated, or take several parted by commas.',
};

export function isList(kind: FieldOption['kind']): boolean {
  return kind === 'list' || kind === 'commaList';
}

function kindOf({ type, items }: FieldSchema, parted: boolean): FieldOption['kind'] {
  switch (type) {
    case 'boolean':
      return 'flag';
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return parted || items?.enum !== undefined ? 'commaList' : 'list';
    default:
      return 'text';
  }
}

function singular(plural: string): string {
  return plural.replace(/ies$/, 'y').replace(/s$/, '');
}

/** What an option's text means; text that is no number is left to the verb to refuse. */
export function fieldValue(kind: FieldOption['kind'], given: string | boolean | readonly string[]): Json {
  if (isList(kind)) {
    const entries = (Array.isArray(given) ? given : [given]) as string[];
    return kind === 'list' ? entries : entries.flatMap(splitList);
  }
  if (
    kind === 'number' &&
    typeof given === 'string' &&
    given.trim() !== '' &&
    Number.isFinite(Number(given))
  ) {
    return Number(given);
  }
  return given as string | boolean;
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The command line that gives a verb this input, as one would type it into a shell. */
export function commandLine(
  input: Readonly<Record<string, Json>>,
  fields: readonly InputField[],
  shape: CommandShape,
): string {
  const operands = shape.operands.flatMap(({ field }) => {
    const value = input[field];
    if (value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map(shellWord);
  });
  const options = fieldOptions(fields, shape).flatMap(({ field, name, kind }) => {
    const value = input[field];
    if (value === undefined) return [];
    if (kind === 'flag') return value === true ? [`--${name}`] : [];
    return (Array.isArray(value) ? value : [value]).map((each) => `--${name} ${shellWord(each)}`);
  });
  return ['loci', ...shape.words, ...operands, ...options].join(' ');
}

/** Quoted when a POSIX shell would not leave it as it is. `~` at the beginning is for the shell to expand. */
export function shellWord(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (/^[\w~@%+=:,./-]+$/.test(text)) return text;
  return text.includes('"') || /[$`\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
}
