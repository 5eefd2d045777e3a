import { recordNumber } from '../../core/ids.ts';
import { type Command, Option } from 'commander';
import type { Json } from '../../core/types.ts';
import { fieldPath, inputFields, type InputField, type InputWording } from '../../operations/shared/input.ts';
import type { LoadedOperation } from '../../operations/operation.ts';
import { commandWords, withCommandNames } from '../shared/command-names.ts';
import type { Io } from '../shared/io.ts';
import type { CommandSyntax, OperationCommand } from './commands/operation-command.ts';
import { loadCommand } from './commands/registry.ts';
import { commandLine, type FieldOption, fieldOptions, fieldValue, isList } from './fields.ts';
import { readInputFile, readStdin } from './stdin.ts';
import { usageHint } from './usage.ts';

/** An operation and the input that a command line gives it. */
export interface CommandCall {
  readonly operation: LoadedOperation;
  readonly command: OperationCommand<unknown>;
  readonly input: Readonly<Record<string, Json>>;
  /** How error messages name the fields: as they were typed. */
  readonly wording: InputWording;
  /** Names of the view options that were given. */
  readonly viewOptions: ReadonlySet<string>;
  readonly json: boolean;
  readonly home: string | undefined;
}

interface GlobalOptions {
  readonly json?: boolean;
  readonly home?: string;
  readonly input?: string;
}

/** Adds the arguments, options and examples of an operation to a command, and calls `onCall` when it is run. */
export async function describeCommand(
  program: Command,
  operation: LoadedOperation,
  io: Io,
  onCall: (call: CommandCall) => Promise<void>,
): Promise<void> {
  const command = await loadCommand(operation.name);
  const fields = inputFields(operation);
  const options = fieldOptions(fields, command);
  program.description(withCommandNames(operation.description));
  addOperands(program, command, fields);
  for (const option of options) addOption(program, option);
  for (const { name, description } of command.viewOptions) program.option(`--${name}`, description);
  const words = commandWords(operation.name);
  const examples = operation.examples.map(
    ({ title, input }) => `  # ${title}\n  ${commandLine(words, input, fields, command)}`,
  );
  program.addHelpText('after', `\nExamples:\n${examples.join('\n\n')}\n`);
  program.action(async () => {
    const globals = program.optsWithGlobals<GlobalOptions>();
    const numericFields = new Set(fields.filter(isNumeric).map(({ name }) => name));
    const { input, typedNames } = await readInput(program, { command, options, numericFields }, globals, io);
    const viewOptions = command.viewOptions.map(({ name }) => name);
    await onCall({
      operation,
      command,
      input,
      wording: {
        nameOf: (path) => typedNames.get(path[0] ?? '') ?? fieldPath(path),
        missingHint: usageHint(program),
      },
      viewOptions: new Set(viewOptions.filter((name) => program.opts()[name] === true)),
      json: globals.json ?? false,
      home: globals.home,
    });
  });
}

function addOperands(program: Command, { operands }: CommandSyntax, fields: readonly InputField[]): void {
  const usage = operands.map(({ field, label, takes }) => {
    const name = takes === 'one' ? label.toUpperCase() : `${label.toUpperCase()}...`;
    const stdin = takes === 'words' ? ' (- reads standard input)' : '';
    const input = fields.find((each) => each.name === field);
    // Optional for Commander, as --input may provide it; the schema reports what is missing.
    program.argument(`[${name}]`, withCommandNames(input?.schema.description ?? '') + stdin);
    return input?.required === true ? `<${name}>` : `[${name}]`;
  });
  program.usage(['[options]', ...usage].join(' '));
}

function addOption(
  program: Command,
  { name, alias, kind, shortOption, placeholder, description, negatable }: FieldOption,
): void {
  const argument = kind === 'flag' ? '' : ` <${placeholder}>`;
  const short = shortOption === null ? '' : `-${shortOption}, `;
  const option = new Option(`${short}--${name}${argument}`, description);
  program.addOption(isList(kind) ? option.argParser(gather) : option);
  if (negatable) program.addOption(new Option(`--no-${name}`).hideHelp());
  if (alias === null) return;
  const second = new Option(`--${alias}${argument}`).hideHelp();
  program.addOption(kind === 'flag' ? second : second.argParser(gather));
  if (negatable) program.addOption(new Option(`--no-${alias}`).hideHelp());
}

function gather(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}

interface TypedInput {
  readonly input: Record<string, Json>;
  /** The option or operand of each field, except fields that only `--input` provides. */
  readonly typedNames: ReadonlyMap<string, string>;
}

interface InputSyntax {
  readonly command: CommandSyntax;
  readonly options: readonly FieldOption[];
  readonly numericFields: ReadonlySet<string>;
}

/** Whether a field is a number, or a list of numbers. */
function isNumeric({ schema: { type, items } }: InputField): boolean {
  const each = items?.type ?? type;
  return each === 'integer' || each === 'number';
}

/** A record may be named by its number or by its citation, `record/12`. */
function operandValue(typed: string, numeric: boolean): Json {
  return numeric ? (recordNumber(typed) ?? fieldValue('number', typed)) : typed;
}

/** Reads the fields of `--input` and of the command line; the command line wins. */
async function readInput(
  program: Command,
  { command, options, numericFields }: InputSyntax,
  globals: GlobalOptions,
  io: Io,
): Promise<TypedInput> {
  const fromFile = globals.input === undefined ? {} : await readInputFile(globals.input, io);
  const typed: Record<string, Json> = {};
  const names = new Map<string, string>();
  let rest: readonly string[] = program.args;
  for (const { field, label, takes } of command.operands) {
    names.set(field, label.toUpperCase());
    const [first] = rest;
    if (first === undefined) continue;
    if (takes === 'one') typed[field] = operandValue(first, numericFields.has(field));
    else if (takes === 'list')
      typed[field] = rest.map((word) => operandValue(word, numericFields.has(field)));
    else typed[field] = rest.length === 1 && first === '-' ? await readStdin(io) : rest.join(' ');
    rest = takes === 'one' ? rest.slice(1) : [];
  }
  for (const { field, name, alias, kind } of options) {
    const spellings = alias === null ? [name] : [name, alias];
    const [spelling = name] = spellings.filter((each) => optionValues(program, each).length > 0);
    names.set(field, `--${spelling}`);
    const values = spellings.flatMap((each) => optionValues(program, each));
    if (values.length > 0) typed[field] = fieldValue(kind, isList(kind) ? (values as string[]) : values[0]!);
  }
  const typedNames = [...names].filter(([field]) => field in typed || !(field in fromFile));
  return { input: { ...fromFile, ...typed }, typedNames: new Map(typedNames) };
}

/** The values given for an option; empty if it was not given. */
function optionValues(program: Command, name: string): (string | boolean)[] {
  const option = program.options.find(({ long }) => long === `--${name}`);
  const value = option === undefined ? undefined : (program.opts()[option.attributeName()] as unknown);
  // What `list` and `list table` both have is parsed by the first.
  if (value === undefined && program.parent?.parent) return optionValues(program.parent, name);
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as string[]) : [value as string | boolean];
}
