import { type CompletedCommand, flagsWithValue } from './command-tree.ts';

/** A script that makes bash, from version 3.2, complete `loci`. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  return `# Completion of loci for bash.
_loci_reply() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_loci_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$cur"))
}

_loci() {
  local cur=\${COMP_WORDS[COMP_CWORD]} option=\${COMP_WORDS[COMP_CWORD-1]} path='' i
  COMPREPLY=()
  # Bash makes = a word of its own.
  if [[ $cur == = ]]; then
    cur=''
  elif [[ $option == = ]]; then
    option=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      --) _loci_files; return ;;
      ${patterns(flagsWithValue(commands))}) ((i++)); [[ \${COMP_WORDS[i]} == = ]] && ((i++)); continue ;;
    esac
    case "$path \${COMP_WORDS[i]}" in
      ${patterns(commands.filter(({ path }) => path !== '').map(({ path }) => (path.includes(' ') ? path : ` ${path}`)))}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path $option" in
${indented(commands.flatMap(valueCases))}
  esac
  case "$path" in
${indented(commands.map(wordsCase))}
  esac
}

complete -F _loci loci
`;
}

function valueCases({ path, options }: CompletedCommand): string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === null) return [];
    const reply =
      value.choices.length > 0
        ? `_loci_reply '${value.choices.join(' ')}'; `
        : value.isFile
          ? '_loci_files; '
          : '';
    return [`${patterns(flags.map((flag) => `${path} ${flag}`))}) ${reply}return ;;`];
  });
}

function wordsCase({ path, subcommands, options, operandChoices }: CompletedCommand): string {
  const flags = options.flatMap((option) => option.flags).join(' ');
  const words = [...subcommands.map(({ name }) => name), ...operandChoices].join(' ');
  const others = words === '' ? '_loci_files' : `_loci_reply '${words}'`;
  return `'${path}') if [[ $cur == -* ]]; then _loci_reply '${flags}'; else ${others}; fi ;;`;
}

function patterns(texts: readonly string[]): string {
  return texts.map((text) => `'${text}'`).join('|');
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `    ${line}`).join('\n');
}
