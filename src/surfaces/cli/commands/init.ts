import type { InitOutput } from '../../../operations/settings/init.ts';
import { oneLine } from '../../shared/escape-control.ts';
import type { Renderer } from './operation-command.ts';

export const initRenderer: Renderer<InitOutput> = {
  notices: ({ notes }) => notes,
  render: (output) => {
    const { created, vault, vaults } = output;
    const place = (what: 'home' | 'config' | 'store', path: string) =>
      `  ${what.padEnd(8)}${oneLine(path)}${created.includes(what) ? '' : '  (was there)'}`;
    const next = vaults.length === 0 ? 'loci index ~/your-notes' : 'loci index';
    return [
      created.length === 0 ? 'Everything was there already; nothing was changed.' : 'Loci is ready.',
      place('home', output.home),
      place('config', output.config_file),
      place('store', output.store),
      ...(vault === null ? [] : [`  vault   ${oneLine(vault.name)}: ${oneLine(vault.path)}`]),
      `Next: ${next}`,
      '',
    ].join('\n');
  },
};
