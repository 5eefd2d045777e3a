import { type CompletedCommand, type CompletedOption, flagsWithValue } from './command-tree.ts';

/** A script that makes fish, from version 3, complete `loci`. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# Completion of loci for fish.
function __loci_at -d 'Whether the words before the cursor name this command'
    set -l words (commandline -opc)
    set -e words[1]
    set -l path
    set -l is_value 0
    for word in $words
        if test $is_value = 1
            set is_value 0
        else if contains -- $word ${flagsWithValue(commands).join(' ')}
            set is_value 1
        else if contains -- (string join -- ' ' $path $word) ${paths.join(' ')}
            set path $path $word
        end
    end
    test (string join -- ' ' '' $path) = (string join -- ' ' '' $argv)
end

${commands.flatMap(lines).join('\n')}
`;
}

function lines({ path, subcommands, options, operandChoices }: CompletedCommand): string[] {
  const start = `complete -c loci -n '__loci_at${path === '' ? '' : ` ${path}`}'`;
  const hasWords = subcommands.length > 0 || operandChoices.length > 0;
  return [
    ...(hasWords ? [`${start} -f`] : []),
    ...subcommands.map(({ name, description }) => `${start} -a ${name} -d ${quoted(description)}`),
    ...operandChoices.map((choice) => `${start} -a ${choice}`),
    ...options.map((option) => `${start} ${optionWords(option)}`),
  ];
}

function optionWords({ flags, description, value }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  return [...names, ...valueWords(value), `-d ${quoted(description)}`].join(' ');
}

function valueWords(value: CompletedOption['value']): string[] {
  if (value === null) return [];
  if (value.choices.length > 0) return ['-x', `-a ${quoted(value.choices.join(' '))}`];
  return [value.isFile ? '-r -F' : '-x'];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
