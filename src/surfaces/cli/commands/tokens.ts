import type { TokenCreateOutput } from '../../../operations/access/token-create.ts';
import type { TokenListOutput } from '../../../operations/access/token-list.ts';
import type { TokenOutput } from '../../../operations/access/token-output.ts';
import { oneLine } from '../../shared/escape-control.ts';
import type { Renderer } from './operation-command.ts';

export const tokenCreateRenderer: Renderer<TokenCreateOutput> = {
  render: (token, { style }) =>
    `${nameOf(token)} (${token.id}) ${opens(token)}, ${until(token)}.\n` +
    `Its text is told this once; Loci does not keep it:\n\n${style.bold(token.token)}\n` +
    (token.note === null ? '' : `\nNote: ${oneLine(token.note)}.\n`),
};

export const tokenListRenderer: Renderer<TokenListOutput> = {
  render: ({ tokens }, { style }) => {
    if (tokens.length === 0) return 'There are no tokens. `loci token create --subject NAME` makes one.\n';
    return tokens
      .map((token) => `${style.link(token.id)}  ${nameOf(token)} ${opens(token)}, ${until(token)}\n`)
      .join('');
  },
};

export const tokenRevokeRenderer: Renderer<TokenOutput> = {
  render: (token) => `${nameOf(token)} (${token.id}) opens nothing any more.\n`,
};

function nameOf({ name }: TokenOutput): string {
  return `The token ${oneLine(name)}`;
}

function opens({ subject, scopes }: TokenOutput): string {
  return `lets ${oneLine(subject)} ${scopes.join(', ')}`;
}

function until({ expires_at, revoked_at }: TokenOutput): string {
  if (revoked_at !== null) return `revoked on ${revoked_at.slice(0, 10)}`;
  return expires_at === null ? 'without an end' : `until ${expires_at.slice(0, 10)}`;
}
