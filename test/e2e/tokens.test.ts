import { describe, expect, it } from 'vitest';
import type { TokenCreateOutput, TokenListOutput } from '../../src/engine/access/tokens.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

describe('loci serve token', () => {
  it('creates, lists and revokes tokens, and shows the text once', async () => {
    const home = temporaryFolder();
    const created = await loci(
      ['serve', 'token', 'create', '--subject', 'alice', '--scope', 'read,write', '--expires', '90d'],
      {
        home,
      },
    );
    expect(created.code).toBe(0);
    const text = /^loci_\w{49}$/m.exec(created.stdout)?.[0] ?? '';
    expect(text).not.toBe('');
    expect(created.stdout).toMatch(
      /\nNote: the namespace alice is empty so far; .* `--subject default` gives access to\.\n$/,
    );
    const forDefault = await loci(['serve', 'token', 'create', '--subject', 'default'], { home });
    expect(forDefault.code).toBe(0);
    expect(forDefault.stdout).not.toContain('Note:');
    await loci(['serve', 'token', 'revoke', 'default'], { home });
    const { tokens } = await lociJson<TokenListOutput>(['serve', 'token', 'list'], { home });
    expect(tokens[0]).toMatchObject({
      subject: 'alice',
      name: 'alice',
      scopes: ['read', 'write'],
      revoked_at: null,
    });
    const days = (Date.parse(tokens[0]?.expires_at ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
    const listed = await loci(['serve', 'token', 'list'], { home });
    expect(listed.stdout).toMatch(/alice +alice +read, write/);
    expect(listed.stdout).not.toContain(text);
    const revoked = await loci(['serve', 'token', 'revoke', tokens[0]?.id ?? ''], { home });
    expect(revoked.code).toBe(0);
    expect((await loci(['serve', 'token', 'list'], { home })).stdout).toContain('revoked at');
  });

  it('accepts never, and refuses an invalid duration, scope or subject by name', async () => {
    const home = temporaryFolder();
    const create = (...args: string[]) =>
      loci(['serve', 'token', 'create', '--subject', 'bob', ...args], { home });
    const unlimited = await lociJson<TokenCreateOutput>(
      ['serve', 'token', 'create', '--subject', 'bob', '--expires', 'never'],
      { home },
    );
    expect(unlimited).toMatchObject({ expires_at: null, scopes: ['read'] });
    for (const [args, name] of [
      [['--expires', 'soon'], '--expires'],
      [['--expires', '0d'], '--expires'],
      [['--expires', '99999d'], '--expires'],
      [['--scope', 'root'], '--scope'],
      [['--subject', ' bob'], '--subject'],
    ] as const) {
      const { code, stderr } = await create(...args);
      expect([args, code]).toEqual([args, 2]);
      expect(stderr).toContain(`${name} must be`);
    }
  });
});
