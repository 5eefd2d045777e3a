import type { TokenCreateOutput, TokenListOutput, TokenOutput } from '../../../engine/access/tokens.ts';
import { oneLine } from '../../shared/escape-control.ts';
import type { OperationCommand } from './operation-command.ts';

export const tokenCreate: OperationCommand<TokenCreateOutput> = {
  render: (token, { style }) =>
    `${nameOf(token)} (${token.id}) ${grantText(token)}, ${expiryOf(token)}.\n` +
    `This is the only time that its text is shown; Loci does not store it:\n\n${style.bold(token.token)}\n` +
    (token.note === null ? '' : `\nNote: ${oneLine(token.note)}.\n`),
};

export const tokenList: OperationCommand<TokenListOutput> = {
  render: ({ tokens }, { style }) => {
    if (tokens.length === 0)
      return 'There are no tokens. `loci serve token create --subject NAME` creates one.\n';
    return tokens
      .map((token) => `${style.link(token.id)}  ${nameOf(token)} ${grantText(token)}, ${expiryOf(token)}\n`)
      .join('');
  },
};

export const tokenRevoke: OperationCommand<TokenOutput> = {
  operands: [{ field: 'token', label: 'token', takes: 'one' }],
  render: (token) => `${nameOf(token)} (${token.id}) is revoked.\n`,
};

function nameOf({ kind, name }: TokenOutput): string {
  return kind === 'token' ? `The token ${oneLine(name)}` : `The page session of ${oneLine(name)}`;
}

function grantText({ subject, scopes }: TokenOutput): string {
  return `lets ${oneLine(subject)} ${scopes.join(', ')}`;
}

function expiryOf({ expires_at, revoked_at }: TokenOutput): string {
  if (revoked_at !== null) return `revoked on ${revoked_at.slice(0, 10)}`;
  return expires_at === null ? 'does not expire' : `until ${expires_at.slice(0, 10)}`;
}
