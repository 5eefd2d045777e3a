import { asTyped } from '../../shared/command-names.ts';

/** The command line with the settings of the plugin. */
export const HOST_COMMAND = 'openclaw loci';

/** A message that names commands as people type them in OpenClaw: plain `loci` does not have the settings of the plugin. */
export function inHostWords(text: string): string {
  return asTyped(text, HOST_COMMAND);
}
