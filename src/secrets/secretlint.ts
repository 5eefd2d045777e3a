import type { Secret } from './secret.ts';

/** The used part of a rule. The package of the types is not installed with the rules. */
interface Rule {
  readonly meta: { readonly id: string };
  readonly create: (context: RuleContext, options: object) => RuleHandler;
}

interface RuleContext {
  readonly sharedOptions: object;
  readonly createTranslator: () => (messageId: string) => object;
  readonly report: (found: { readonly range: readonly [start: number, end: number] }) => void;
}

interface RuleHandler {
  readonly file?: (source: { content: string; filePath: string; ext: string; contentType: 'text' }) => void;
}

/**
 * The rules of secretlint's recommended preset that Loci uses, by the end of their ids, with the kind that they find. Each
 * looks for a prefix of the vendor and a length. Rules that are not listed here were not reviewed, and are not used.
 */
export const SECRETLINT_RULES: Readonly<Record<string, string>> = {
  '1password': '1Password token',
  anthropic: 'Anthropic API key',
  cloudflare: 'Cloudflare API token',
  databricks: 'Databricks token',
  docker: 'Docker token',
  figma: 'Figma token',
  gitlab: 'GitLab token',
  grafana: 'Grafana token',
  groq: 'Groq API key',
  'hashicorp-vault': 'Vault token',
  huggingface: 'Hugging Face token',
  linear: 'Linear API key',
  notion: 'Notion token',
  npm: 'npm token',
  openai: 'OpenAI API key',
  shopify: 'Shopify token',
  slack: 'Slack token',
  stripe: 'Stripe API key',
  tailscale: 'Tailscale key',
  vercel: 'Vercel token',
};

/** The other rules of the preset, and why Loci has rules of its own instead. */
export const SECRETLINT_UNUSED: Readonly<Record<string, string>> = {
  aws: 'the reported range ends before the secret does; key ids are disabled',
  basicauth: 'reports the whole address; only the password is secret',
  'database-connection-string': 'reports the whole address; only the password is secret',
  'filter-comments': 'a comment in a text could switch detection off',
  gcp: 'reads files, and reports whole texts',
  github: 'it takes three seconds for a hostile megabyte',
  privatekey: 'does not find encrypted keys, headers, or a key without its end',
  sendgrid: 'finds at most one hyphen in a key, and takes a second for a hostile megabyte',
};

/** Prefix of the ids of secretlint's rules. */
export const SECRETLINT_ID = '@secretlint/secretlint-rule-';

/** A token in documentation: `xoxb-your-slack-token`. */
const PLACEHOLDER = /[-_]your[-_]/i;
const NON_ASCII = /[\u0080-\uffff]/g;

/**
 * Loads secretlint's rules, which takes about 20 ms once in a process.
 *
 * The core of secretlint is not used. It lets comments in a text switch rules off, keeps a profile of every call in memory,
 * counts offsets from after a byte order mark, and compares all pairs of findings.
 */
export async function loadSecretlint(): Promise<(text: string) => Secret[]> {
  const preset: { rules: unknown } = await import('@secretlint/secretlint-rule-preset-recommend');
  let found: Secret[] = [];
  const handlers = (preset.rules as readonly Rule[]).flatMap((rule) => {
    const kind = SECRETLINT_RULES[rule.meta.id.slice(SECRETLINT_ID.length)];
    if (kind === undefined) return [];
    const context: RuleContext = {
      sharedOptions: {},
      createTranslator: () => (messageId) => ({ messageId }),
      report: ({ range: [start, end] }) => void found.push({ kind, start, end }),
    };
    return [rule.create(context, {})];
  });
  return (text) => {
    // Credentials are ASCII. The rules accept no letter before one, and treat an ideograph as a letter.
    const content = text.replace(NON_ASCII, ' ');
    // The used rules read only these fields, and are synchronous.
    const source = { content, filePath: 'text', ext: '', contentType: 'text' } as const;
    found = [];
    for (const handler of handlers) handler.file?.(source);
    return found.filter(({ start, end }) => !PLACEHOLDER.test(content.slice(start, end)));
  };
}
