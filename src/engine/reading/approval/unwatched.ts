import { basename } from 'node:path';
import type { ResolvedCommand } from './approval.ts';
import { INLINE_CODE, INTERPRETERS } from './watched-files.ts';

/** Programs that start what a file of theirs, a package or their arguments name. */
const LAUNCHERS =
  /^(?:g?make|just|task|ninja|rake|gradlew?|mvnw?|ant|npm|npx|pnpm|yarn|bunx?|deno|cargo|go|uvx?|pipx?|poetry|docker|podman|ssh|xargs|parallel|find|timeout|nice|nohup|sudo|doas|watch|busybox)$/;

/** What an approval does not cover. */
export interface Unwatched {
  readonly text: string;
  /** Whether the command may run files that nothing watches. */
  readonly isRisk: boolean;
}

/** What the command may run or load although the approval does not cover it. */
export function unwatched({ argv, program, shell, files }: ResolvedCommand): Unwatched {
  const name = basename(program ?? argv[0] ?? '');
  if (shell) return { text: 'files that the line for the shell starts', isRisk: true };
  if (LAUNCHERS.test(name))
    return {
      text: `what ${name} reads or starts by itself, such as a Makefile, a package or the program that it is given`,
      isRisk: true,
    };
  if (!INTERPRETERS.test(name)) return { text: `what ${name} loads or starts`, isRisk: false };
  if (argv.some((argument) => INLINE_CODE.test(argument)))
    return { text: `files that the code for ${name} loads or starts`, isRisk: true };
  if (files.every(({ path }) => path === program))
    return { text: `what ${name} runs: no argument is a file or a folder that exists`, isRisk: true };
  return { text: 'what the watched code loads or starts from elsewhere', isRisk: false };
}
