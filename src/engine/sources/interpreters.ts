/** What the next word is that a program is given. */
export type Role =
  /** What it runs. */
  | 'script'
  /** Another program that it starts, with its arguments. */
  | 'program'
  /** Commands for a shell. */
  | 'line'
  /** Program text, which stands in the command; what follows is data. */
  | 'inline'
  | 'data';

const SHELL = /^(?:ba|da|z|k|fi)?sh$/;
const SCRIPTED = /^(?:node|deno|bun|python[\d.]*|ruby|perl|php|lua|Rscript|uv|npx|tsx)$/;
const STARTING =
  /^(?:env|nice|ionice|timeout|nohup|time|stdbuf|xargs|setsid|flock|sudo|doas|exec|command|builtin)$/;
const WITH_TEXT = /^(?:[gmn]?awk|make|just)$/;
/** What reads a file into the shell that runs: elsewhere a dot is a folder. */
const SOURCING = /^(?:source|\.)$/;

/** The next word is code, in place of a script. */
const INLINE: readonly (readonly [program: RegExp, option: RegExp, role: Role])[] = [
  [SHELL, /^[-+][A-Za-z]*c$/, 'line'],
  [/^flock$/, /^(?:-c|--command)$/, 'line'],
  [/^env$/, /^(?:-[iv]*S|--split-string)$/, 'line'],
  [/^python[\d.]*$/, /^-[bBdEhiIOPqsSuvVx]*c$/, 'inline'],
  [/^(?:node|bun|tsx)$/, /^(?:-[pe]+|--eval|--print)$/, 'inline'],
  [/^(?:ruby|perl)$/, /^-[acdilnpsvwTtuUWXy0-7]*[eE]$/, 'inline'],
  [/^php$/, /^-[rRBE]$/, 'inline'],
];
/** Options whose operand is a file of code, or says what to load. */
const LOADING =
  /^(?:-r|--require|--import|--loader|--experimental-loader|--preload|--env-file(?:-if-exists)?|--experimental-config-file|--rcfile|--init-file|-f|--file|--makefile|--justfile)$/;
/** Options that take no operand: behind any other the next word may be one, or the script. */
const FLAGS: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [SHELL, /^(?:[-+][abefhiklmnprstuvxBCEHPT]+|--(?:login|norc|noprofile|posix|verbose))$/],
  [/^python[\d.]*$/, /^-[bBdEhiIOPqRsSuvVx]+$/],
  [/^(?:perl|ruby)$/, /^-[acdlnpstuvwTUWX]+$/],
  [/^deno$/, /^(?:-[A-Zq]|--(?:allow|no|deny|cached|quiet)[\w-]*)$/],
  [
    /^(?:node|tsx)$/,
    /^--(?:no-|enable-|use-|preserve-|expose-|throw-|pending-|permission$|watch$|trace-(?:warnings|deprecation|uncaught)$|experimental-(?!loader|config|default|sea))[\w-]*$/,
  ],
];

/** Whether the program is known for running what it is given. */
export function isInterpreter(name: string): boolean {
  return [SHELL, SCRIPTED, STARTING, WITH_TEXT].some((known) => known.test(name));
}

export function firstRole(name: string): Role {
  if (STARTING.test(name)) return 'program';
  if (WITH_TEXT.test(name)) return 'inline';
  return SHELL.test(name) || SCRIPTED.test(name) || SOURCING.test(name) ? 'script' : 'data';
}

/** What the word behind an option is, where that is code of its own. */
export function inlineRole(name: string, option: string): Role | null {
  return INLINE.find(([program, form]) => program.test(name) && form.test(option))?.[2] ?? null;
}

export function takesOperand(name: string, option: string): boolean {
  return !FLAGS.some(([program, form]) => program.test(name) && form.test(option));
}

export function loadsOperand(option: string): boolean {
  return LOADING.test(option);
}
