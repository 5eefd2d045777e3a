import { type CompletedCommand, type CompletedOption, flagsWithValue } from './command-tree.ts';

/** A script that makes zsh complete `loci`: a file of its function path, or text to evaluate after `compinit`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => path);
  return `#compdef loci
# Completion of loci for zsh.
_loci() {
  local word_path='' option=\${words[CURRENT-1]}
  local -a entries
  local -i i
  if [[ $PREFIX == --*=* ]]; then
    option=\${PREFIX%%=*}
    compset -P '*='
  fi
  for ((i = 2; i < CURRENT; i++)); do
    case \${words[i]} in
      (--) _files; return ;;
      (${flagsWithValue(commands).join('|')}) ((i++)); continue ;;
    esac
    case "$word_path \${words[i]}" in
      (${paths.map((path) => quoted(path.includes(' ') ? path : ` ${path}`)).join('|')}) word_path="\${word_path:+$word_path }\${words[i]}" ;;
    esac
  done
  case "$word_path $option" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$word_path" in
${commands.map(wordsCase).join('\n')}
  esac
}

if [[ \${funcstack[1]} == _loci ]]; then _loci "$@"; else compdef _loci loci; fi
`;
}

function valueCases({ path, options }: CompletedCommand): string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === null) return [];
    const reply =
      value.choices.length > 0 ? `compadd -- ${value.choices.join(' ')}; ` : value.isFile ? '_files; ' : '';
    return [`    (${flags.map((flag) => quoted(`${path} ${flag}`)).join('|')}) ${reply}return ;;`];
  });
}

function wordsCase({ path, subcommands, options, operandChoices }: CompletedCommand): string {
  const names = subcommands.map(({ name, description }) => `${name}:${description}`);
  const others =
    names.length > 0
      ? `entries=(${names.map(quoted).join(' ')}); _describe command entries`
      : operandChoices.length > 0
        ? `compadd -- ${operandChoices.join(' ')}`
        : '_files';
  return `    (${quoted(path)})
      if [[ $PREFIX == -* ]]; then
        entries=(${options.flatMap(optionEntries).join(' ')})
        _describe -o option entries
      else
        ${others}
      fi ;;`;
}

function optionEntries({ flags, description }: CompletedOption): string[] {
  return flags.map((flag) => quoted(`${flag}:${description}`));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
