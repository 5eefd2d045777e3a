import type { Command, Option } from 'commander';
import { LociError } from '../../core/errors.ts';
import { toJson } from '../shared/escape-control.ts';
import type { RunStandalone } from '../shared/run-standalone.ts';

/** The word by which the script of a shell asks for completions: `loci __complete WORD...`. The last word is the one to complete. */
export const COMPLETE = '__complete';
/** The only line of an answer that asks the shell to offer files. */
const FILES = ':files';

/** Each script asks Loci at every Tab, so that it never has the commands of another version. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# Completion of loci for bash, from version 3.2.
_loci() {
  local IFS=$'\\n' cur=\${COMP_WORDS[COMP_CWORD]}
  # Bash makes = a word of its own.
  [[ $cur == = ]] && cur=''
  COMPREPLY=($(loci ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [[ \${COMPREPLY[0]} == ${FILES} ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
  else
    COMPREPLY=("\${COMPREPLY[@]%%$'\\t'*}")
  fi
}
complete -F _loci loci
`,
  zsh: `#compdef loci
# Completion of loci for zsh: a file of its function path, or text to evaluate after compinit.
_loci() {
  local -a entries
  entries=("\${(@f)$(loci ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ $PREFIX == --*=* ]] && compset -P '*='
  if [[ \${entries[1]} == ${FILES} ]]; then
    _files
  else
    entries=("\${(@)entries//$'\\t'/:}")
    if [[ $PREFIX == -* ]]; then _describe -o option entries; else _describe command entries; fi
  fi
}
if [[ \${funcstack[1]} == _loci ]]; then _loci "$@"; else compdef _loci loci; fi
`,
  fish: `# Completion of loci for fish, from version 3.
function __loci_complete
    set -l current (commandline -ct)
    set -l before (commandline -opc)
    set -l entries (loci ${COMPLETE} $before[2..-1] "$current" 2>/dev/null)
    if test "$entries[1]" = ${FILES}
        __fish_complete_path (string replace -r -- '^--[\\w-]+=' '' "$current")
    else if set -q entries[1]
        set -l flag (string match -r -- '^--[\\w-]+=' "$current")
        printf '%s\\n' "$flag"$entries
    end
end
complete -c loci -f -a '(__loci_complete)'
`,
};

/** Runs `loci config completion SHELL`: prints the script that makes a shell complete commands, options and choices. */
export const printCompletion: RunStandalone = async ({ operands: [shell], json }, io) => {
  const script = shell !== undefined && Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (shell === undefined || script === undefined)
    throw new LociError(
      'invalid_input',
      shell === undefined ? 'SHELL is missing' : `loci has no completion for ${shell}`,
      { hint: `Name one of these shells: ${Object.keys(SCRIPTS).join(', ')}.` },
    );
  io.stdout.write(json ? `${toJson({ shell, script })}\n` : script);
  return 0;
};

/**
 * What a shell offers for the last word of a command line: lines of a word, a tab and its description.
 * @param program with the options of the commands that the words name @param words those after `loci`
 */
export function completions(program: Command, words: readonly string[]): string {
  // Bash makes the = of `--origin=fact` a word of its own.
  const before = words.slice(0, -1).filter((word) => word !== '=');
  let current = words.at(-1) ?? '';
  if (current === '=') current = '';
  let command = program;
  for (let i = 0; i < before.length; i++) {
    const word = before[i]!;
    if (word === '--') return `${FILES}\n`;
    if (word.startsWith('-')) {
      const takesNext = optionOf(command, word)?.required === true;
      if (takesNext && i === before.length - 1) return values(optionOf(command, word)!, current);
      if (takesNext) i++;
    } else command = command.commands.find((each) => each.name() === word) ?? command;
  }
  const [, flag = '', value = ''] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  const option = flag === '' ? undefined : optionOf(command, flag);
  if (option !== undefined) return values(option, value);
  const help = command.createHelp();
  if (current.startsWith('-')) {
    const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
    return lines(
      options.flatMap(({ short, long, description }) =>
        [short, long].flatMap((each) => (each === undefined ? [] : [[each, description] as const])),
      ),
      current,
    );
  }
  const isHelp = command.name() === 'help' && command.parent !== null;
  const offered = help
    .visibleCommands(isHelp ? command.parent! : command)
    .map((each) => [each.name(), help.subcommandDescription(each)] as const);
  const choices = command.registeredArguments[0]?.argChoices ?? [];
  const entries = [...offered, ...choices.map((choice) => [choice, ''] as const)];
  return entries.length === 0 ? `${FILES}\n` : lines(entries, current);
}

function optionOf(command: Command, flag: string): Option | undefined {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].find((option) =>
    [option.short, option.long].includes(flag),
  );
}

const FILE_PLACEHOLDERS: ReadonlySet<string> = new Set(['file', 'dir', 'to']);

function values({ flags }: Option, current: string): string {
  const placeholder = /<(.+)>/.exec(flags)?.[1] ?? '';
  if (FILE_PLACEHOLDERS.has(placeholder)) return `${FILES}\n`;
  const choices = placeholder.includes('|') ? placeholder.split('|') : [];
  return lines(
    choices.map((choice) => [choice, ''] as const),
    current,
  );
}

/** A description is its first sentence, on one line, without a full stop. */
function lines(entries: readonly (readonly [word: string, description: string])[], current: string): string {
  return entries
    .filter(([word]) => word.startsWith(current))
    .map(([word, description]) => {
      const sentence = description
        .replaceAll(/\s+/g, ' ')
        .replace(/[.;] .*$/, '')
        .replace(/\.$/, '');
      return `${word}${sentence === '' ? '' : `\t${sentence}`}\n`;
    })
    .join('');
}
