import { counted } from '../../../core/text/counted.ts';
import type { ForgetVaultOutput } from '../../../operations/vaults/forget-vault.ts';
import { oneLine } from '../../shared/escape-control.ts';
import type { Renderer } from './operation-command.ts';

export const forgetVaultRenderer: Renderer<ForgetVaultOutput> = {
  render: ({ vault, path, removed, unconfigured }) => {
    const settings = unconfigured ? ', and it is out of the settings' : '';
    const notes =
      path === null ? 'Its notes were not touched.' : `The notes in ${oneLine(path)} were not touched.`;
    return `${oneLine(vault)} is forgotten: ${recordsLeft(removed)}${settings}.\n${notes}\n`;
  },
};

function recordsLeft(removed: number): string {
  if (removed === 0) return 'no record was of it';
  return `${counted(removed, 'record')} left the store`;
}
