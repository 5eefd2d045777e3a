import type { ForgetVaultOutput } from '../../../operations/forget-vault.ts';
import { oneLine } from '../neutralise.ts';
import type { Renderer } from './renderer.ts';

export const forgetVaultRenderer: Renderer<ForgetVaultOutput> = {
  render: ({ vault, path, removed, unconfigured }) => {
    const records = removed === 1 ? '1 record left' : `${String(removed)} records left`;
    const settings = unconfigured ? ', and it is out of the settings' : '';
    const notes =
      path === null ? 'Its notes were not touched.' : `The notes in ${oneLine(path)} were not touched.`;
    return `${oneLine(vault)} is forgotten: ${records} the store${settings}.\n${notes}\n`;
  },
};
