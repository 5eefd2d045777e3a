// Writes docs/commands.md from the operations and the error table: `node scripts/command-docs.ts`. A test
// checks that the file is up to date.
import { writeFileSync } from 'node:fs';
import { ERROR_TABLE, type ErrorCode } from '../src/core/errors.ts';
import { inputFields } from '../src/operations/shared/input.ts';
import type { LoadedOperation } from '../src/operations/operation.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import { loadCommand } from '../src/surfaces/cli/commands/registry.ts';
import { EXIT_CODES } from '../src/surfaces/cli/report-error.ts';
import { commandLine, fieldOptions } from '../src/surfaces/cli/fields.ts';
import { STANDALONE_COMMANDS, type StandaloneCommand } from '../src/surfaces/cli/standalone-commands.ts';
import { commandWords, withCommandNames } from '../src/surfaces/shared/command-names.ts';

const HEAD = `# Commands

<!-- Written by \`node scripts/command-docs.ts\` from src/operations; a change here is overwritten. -->

\`loci COMMAND --help\` prints the same. Every command also takes:

- \`--json\`: print one JSON document on standard output, \`{"error": {"code", "message", "hint"}}\` when the command fails.
  Names are in snake_case; times are in ISO 8601 and UTC (\`2026-09-14T16:30:00.000Z\`); \`took_ms\` is a duration in whole
  milliseconds; \`score\` is from 0 to 1. Progress and warnings go to standard error.
- \`--home DIR\`: the home folder, instead of \`$LOCI_HOME\` or \`~/.loci\`.
- \`--input FILE\`: read the fields of the input from a JSON object in a file, or \`-\` for standard input. The command line
  wins over the file.
`;

async function section(operation: LoadedOperation): Promise<string> {
  const command = await loadCommand(operation.name);
  const words = commandWords(operation.name);
  const fields = inputFields(operation);
  const operands = command.operands.map(({ field, label, takes }) => {
    const description = fields.find(({ name }) => name === field)?.schema.description ?? '';
    const stdin = takes === 'words' ? ' A single `-` reads standard input.' : '';
    return `- \`${label.toUpperCase()}\`: ${withCommandNames(description)}${stdin}`;
  });
  const options = fieldOptions(fields, command).map(
    ({ name, shortOption, kind, placeholder, description }) => {
      const short = shortOption === null ? '' : `\`-${shortOption}\`, `;
      const argument = kind === 'flag' ? '' : ` ${placeholderText(placeholder)}`;
      return `- ${short}\`--${name}${argument}\`: ${description}`;
    },
  );
  const views = command.viewOptions.map(({ name, description }) => `- \`--${name}\`: ${description}.`);
  const examples = operation.examples.map(
    ({ title, input }) => `# ${title}\n${commandLine(words, input, fields, command)}`,
  );
  const lists = [...operands, ...options, ...views];
  return [
    `## \`loci ${words.join(' ')}\``,
    withCommandNames(operation.description),
    ...(lists.length === 0 ? [] : [lists.join('\n')]),
    `\`\`\`sh\n${examples.join('\n\n')}\n\`\`\``,
  ].join('\n\n');
}

/** A list of choices is as it is typed. */
function placeholderText(placeholder: string): string {
  return placeholder.includes('|') ? placeholder : placeholder.toUpperCase();
}

function standaloneSection({
  name,
  description,
  operands,
  options,
  lists: repeatable,
  examples,
}: StandaloneCommand): string {
  const lists = [
    ...operands.map((operand) => `- \`${operand.label.toUpperCase()}\`: ${operand.description}`),
    ...Object.entries({ ...options, ...repeatable }).map(
      ([option, text]) =>
        `- \`--${option.replace(/<(.+)>/, (_, value: string) => placeholderText(value))}\`: ${text}`,
    ),
  ];
  return [
    `## \`loci ${name}\``,
    description,
    ...(lists.length === 0 ? [] : [lists.join('\n')]),
    `\`\`\`sh\n${examples.map(({ title, line }) => `# ${title}\n${line}`).join('\n\n')}\n\`\`\``,
  ].join('\n\n');
}

function errors(): string {
  const codes = EXIT_CODES.map(([code, meaning]) => `- ${String(code)}: ${meaning}`);
  const table = (Object.keys(ERROR_TABLE) as ErrorCode[]).map((code) => {
    const { exit, status, hint } = ERROR_TABLE[code];
    return `- \`${code}\`: exit code ${String(exit)}, HTTP status ${String(status)}. ${hint}`;
  });
  return [
    '## Errors',
    'An error names what was wrong and what to do next. This is the advice where an error has none of its own:',
    table.join('\n'),
    'Exit codes:',
    codes.join('\n'),
  ].join('\n\n');
}

/** The text of the page. */
export async function renderCommandDocs(): Promise<string> {
  const sections = await Promise.all(OPERATIONS.map(async ({ load }) => section(await load())));
  return `${[HEAD.trimEnd(), ...sections, ...STANDALONE_COMMANDS.map(standaloneSection), errors()].join('\n\n')}\n`;
}

if (import.meta.main) {
  writeFileSync(new URL('../docs/commands.md', import.meta.url), await renderCommandDocs());
}
