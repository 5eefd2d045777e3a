import type { Command } from 'commander';
import type { ServerCall } from '../shared/server-call.ts';
import type { ServerCommand } from './server-commands.ts';

/** Gives a command the operands, options and examples of its server, and what to do. */
export function describeServerCommand(
  command: Command,
  server: ServerCommand,
  act: (server: ServerCommand, call: ServerCall) => Promise<void>,
): void {
  command.description(server.description);
  for (const { label, description } of server.operands)
    command.argument(`[${label.toUpperCase()}]`, description);
  for (const { name, placeholder, description } of server.options)
    command.option(`--${name}${placeholder === null ? '' : ` <${placeholder}>`}`, description);
  const examples = server.examples.map(({ title, line }) => `  # ${title}\n  ${line}`);
  command.addHelpText('after', `\nExamples:\n${examples.join('\n\n')}\n`);
  command.action(async () => {
    const globals = command.optsWithGlobals<{ readonly json?: boolean; readonly home?: string }>();
    const values = command.opts<Record<string, string | true>>();
    const given = command.options.flatMap((option): [string, string | true][] => {
      const value = values[option.attributeName()];
      return value === undefined ? [] : [[option.name(), value]];
    });
    await act(server, {
      operands: command.args,
      options: Object.fromEntries(given),
      json: globals.json ?? false,
      home: globals.home,
    });
  });
}
