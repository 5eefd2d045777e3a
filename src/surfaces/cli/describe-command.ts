import { type Command, Option } from 'commander';
import type { Json } from '../../core/types.ts';
import { fieldPath, inputFields, type InputField } from '../../operations/shared/input.ts';
import type { Operation } from '../../operations/operation.ts';
import type { CommandCall } from './command-call.ts';
import { inCommands } from '../shared/command-names.ts';
import { commandLine, type FieldOption, fieldOptions, fieldValue, isList } from './fields.ts';
import type { Io } from '../shared/io.ts';
import { type CommandShape, shapeOf } from './shapes.ts';
import { readInputFile, readStdin } from './stdin.ts';
import { usageHint } from './usage.ts';

interface Globals {
  readonly json?: boolean;
  readonly home?: string;
  readonly input?: string;
}

/** Gives a command the arguments, options and examples of its verb, and what to do. */
export function describeCommand(
  command: Command,
  operation: Operation,
  io: Io,
  act: (call: CommandCall) => Promise<void>,
): void {
  const shape = shapeOf(operation.name);
  const fields = inputFields(operation);
  const options = fieldOptions(fields, shape);
  const required = new Set(fields.filter((field) => field.required).map(({ name }) => name));
  command.description(inCommands(operation.description));
  const usage: string[] = [];
  for (const { field, label, takes } of shape.operands) {
    const name = takes === 'one' ? label.toUpperCase() : `${label.toUpperCase()}...`;
    const stdin = takes === 'words' ? ' (- reads standard input)' : '';
    const description = fields.find((each) => each.name === field)?.schema.description ?? '';
    // Never required here: --input may bring it, and the verb says what is missing.
    command.argument(`[${name}]`, inCommands(description) + stdin);
    usage.push(required.has(field) ? `<${name}>` : `[${name}]`);
  }
  command.usage(['[options]', ...usage].join(' '));
  for (const option of options) addOption(command, option);
  for (const { name, description } of shape.views) command.option(`--${name}`, description);
  const examples = operation.examples.map(
    ({ title, input }) => `  # ${title}\n  ${commandLine(input, fields, shape)}`,
  );
  command.addHelpText('after', `\nExamples:\n${examples.join('\n\n')}\n`);
  command.action(async () => {
    const globals = command.optsWithGlobals<Globals>();
    const numbers = new Set(fields.filter(isNumeric).map(({ name }) => name));
    const { input, typed } = await inputOf(command, { shape, options, numbers }, globals, io);
    await act({
      operation,
      input,
      wording: {
        nameOf: (path) => typed.get(path[0] ?? '') ?? fieldPath(path),
        hintOfMissing: usageHint(command),
      },
      views: new Set(shape.views.map(({ name }) => name).filter((name) => command.opts()[name] === true)),
      json: globals.json ?? false,
      home: globals.home,
    });
  });
}

function addOption(
  command: Command,
  { name, alias, kind, letter, placeholder, description, negatable }: FieldOption,
): void {
  const argument = kind === 'flag' ? '' : ` <${placeholder}>`;
  const short = letter === null ? '' : `-${letter}, `;
  const option = new Option(`${short}--${name}${argument}`, description);
  command.addOption(isList(kind) ? option.argParser(gather) : option);
  if (negatable) command.addOption(new Option(`--no-${name}`).hideHelp());
  if (alias !== null) command.addOption(new Option(`--${alias}${argument}`).argParser(gather).hideHelp());
}

function gather(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}

interface TypedInput {
  readonly input: Record<string, Json>;
  /** What each field was called on the command line, or would be: those that `--input` brought are not there. */
  readonly typed: ReadonlyMap<string, string>;
}

/** What the words of a command line mean. */
interface Understanding {
  readonly shape: CommandShape;
  readonly options: readonly FieldOption[];
  /** Fields that hold numbers. */
  readonly numbers: ReadonlySet<string>;
}

function isNumeric({ schema: { type } }: InputField): boolean {
  return type === 'integer' || type === 'number';
}

/** A record's number may be typed as its citation. */
function operandValue(typed: string, numeric: boolean): Json {
  return numeric ? fieldValue('number', typed.replace(/^record\//, '')) : typed;
}

/** Fields from `--input`, then those of the command line, which win. */
async function inputOf(
  command: Command,
  { shape, options, numbers }: Understanding,
  globals: Globals,
  io: Io,
): Promise<TypedInput> {
  const read = globals.input === undefined ? {} : await readInputFile(globals.input, io);
  const given: Record<string, Json> = {};
  const names = new Map<string, string>();
  let rest: readonly string[] = command.args;
  for (const { field, label, takes } of shape.operands) {
    names.set(field, label.toUpperCase());
    const [first] = rest;
    if (first === undefined) continue;
    if (takes === 'one') given[field] = operandValue(first, numbers.has(field));
    else if (takes === 'list') given[field] = [...rest];
    else given[field] = rest.length === 1 && first === '-' ? await readStdin(io) : rest.join(' ');
    rest = takes === 'one' ? rest.slice(1) : [];
  }
  for (const { field, name, alias, kind } of options) {
    const spellings = alias === null ? [name] : [name, alias];
    const [spelling = name] = spellings.filter((each) => valueOf(command, each).length > 0);
    names.set(field, `--${spelling}`);
    const values = spellings.flatMap((each) => valueOf(command, each));
    if (values.length > 0) given[field] = fieldValue(kind, isList(kind) ? (values as string[]) : values[0]!);
  }
  const typed = [...names].filter(([field]) => field in given || !(field in read));
  return { input: { ...read, ...given }, typed: new Map(typed) };
}

/** What was given of an option, nothing when it was not. */
function valueOf(command: Command, name: string): (string | boolean)[] {
  const option = command.options.find(({ long }) => long === `--${name}`);
  const value = option === undefined ? undefined : (command.opts()[option.attributeName()] as unknown);
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as string[]) : [value as string | boolean];
}
