import type { Secret } from './secret.ts';

/** As much of a rule as is used; its own types are not installed with it. */
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
 * The rules of secretlint's recommended preset that are asked, by the end of their ids, and what they find. Each is a
 * prefix of the vendor's own and a length. A rule that is not named here has not been looked at, and is not asked.
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

/** The preset's other rules, and why rules of our own stand in their place. */
export const SECRETLINT_LEFT_OUT: Readonly<Record<string, string>> = {
  aws: 'the range that it reports ends before the secret does; key ids are off',
  basicauth: 'reports the whole address; only the password is secret',
  'database-connection-string': 'reports the whole address; only the password is secret',
  'filter-comments': 'a text could switch detection off by a word in it',
  gcp: 'reads files, and reports whole texts',
  github: 'a hostile megabyte takes it three seconds',
  privatekey: 'knows neither encrypted keys, nor headers, nor a key whose end is missing',
  sendgrid: 'knows one hyphen in a key, and a hostile megabyte takes it a second',
};

/** Prefix of the ids of secretlint's rules. */
export const SECRETLINT_ID = '@secretlint/secretlint-rule-';

/** As documentation writes a token: `xoxb-your-slack-token`. */
const PLACEHOLDER = /[-_]your[-_]/i;
const NON_ASCII = /[\u0080-\uffff]/g;

/**
 * Loads secretlint's rules: some 20 ms, once for a process.
 *
 * Its core is not used. That would let a text's comments switch rules off, keep a profile of every call in memory for
 * ever, count offsets from behind a byte order mark, and compare every two of its findings; a rule needs none of it.
 */
export async function loadSecretlint(): Promise<(text: string) => Secret[]> {
  const preset: { rules: unknown } = await import('@secretlint/secretlint-rule-preset-recommend');
  let found: Secret[] = [];
  const asked = (preset.rules as readonly Rule[]).flatMap((rule) => {
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
    // Credentials are ASCII. The rules want no letter before one, and take an ideograph for a letter.
    const content = text.replace(NON_ASCII, ' ');
    // The rules that are asked read no more of it than this, and are done when they return.
    const source = { content, filePath: 'text', ext: '', contentType: 'text' } as const;
    found = [];
    for (const handler of asked) handler.file?.(source);
    return found.filter(({ start, end }) => !PLACEHOLDER.test(content.slice(start, end)));
  };
}
