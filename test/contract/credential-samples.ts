/**
 * An invented credential in a documented format. It is assembled at run time, so that a secret scanner does not find it in
 * the repository.
 */
export interface CredentialSample {
  /** The kind that its mask names. */
  readonly kind: string;
  /** The text in front of the secret; empty if the format alone identifies it. */
  readonly before: string;
  readonly secret: string;
  readonly after: string;
}

const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const BASE62 = DIGITS + UPPER + LOWER;
const BASE64 = `${BASE62}+/`;
const BASE64_URL = `${BASE62}-_`;

/**
 * Pseudo-random characters, the same for the same arguments. They begin with a digit and a letter of each case, as far as the
 * alphabet has them.
 */
function chars(alphabet: string, length: number, seed: number): string {
  const prefix = ['7', 'q', 'Z'].filter((char) => alphabet.includes(char)).join('');
  let state = (seed + 1) * 2_654_435_761;
  return (
    prefix +
    Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return alphabet[Math.floor((state / 2 ** 32) * alphabet.length)];
    }).join('')
  ).slice(0, length);
}

function pem(label: string, seed: number, headers = ''): string {
  const lines = Array.from({ length: 12 }, (_, line) => chars(BASE64, 64, seed * 100 + line));
  const name = `${label}PRIVATE ${label.startsWith('PGP') ? 'KEY BLOCK' : 'KEY'}`;
  const body = `${headers}MII${lines.join('\n')}\n${chars(BASE64, 13, seed)}=`;
  return `${dashed('BEGIN', name)}\n${body}\n${dashed('END', name)}`;
}

function dashed(word: string, name: string): string {
  return `-----${word} ${name}-----`;
}

function webToken(seed: number): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = encode({ sub: `user${String(seed)}`, iat: 1_700_000_000 + seed });
  return `${encode({ alg: 'HS256', typ: 'JWT' })}.${claims}.${chars(BASE64_URL, 43, seed)}`;
}

function serviceAccountToken(seed: number): string {
  const content = { email: `${chars(LOWER, 20, seed)}@example.org`, secretKey: chars(BASE62, 64, seed) };
  return Buffer.from(JSON.stringify(content)).toString('base64');
}

function uuid(seed: number): string {
  return chars(HEX, 32, seed).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function serviceTokens(seed: number): readonly (readonly [kind: string, ...parts: string[]])[] {
  const filler = (alphabet: string, length: number): string => chars(alphabet, length, seed);
  return [
    ['AWS Bedrock key', 'AB', 'SK', filler(BASE64, 130), '='],
    ['AWS Bedrock key', 'bedrock-api', '-key-', filler(BASE64, 100), '='],
    ['Brevo key', 'xkey', 'sib-', filler(HEX, 64), '-', filler(BASE62, 16)],
    ['Cerebras key', 'cs', 'k-', filler(LOWER + DIGITS, 48)],
    ['crates.io token', 'ci', 'o', filler(BASE62, 32)],
    ['ElevenLabs key', 's', 'k_', filler(HEX, 48)],
    ['Firecrawl key', 'f', 'c-', filler(HEX, 32)],
    ['Fireworks key', 'f', 'w_', filler(BASE62, 24)],
    ['Fly token', 'fm', '2_', filler(BASE64, 160), '='],
    ['Fly token', 'fo', '1_', filler(BASE64_URL, 42), 'x'],
    ['Google API key', 'A', 'Q.', filler(BASE64_URL, 50), 'x'],
    ['HubSpot token', 'pa', 't-na1-', uuid(seed)],
    ['Jina key', 'ji', 'na_', filler(BASE62, 60)],
    ['Langfuse key', 's', 'k-lf-', uuid(seed)],
    ['LangSmith key', 'lsv', '2_pt_', filler(HEX, 32), '_', filler(HEX, 10)],
    ['Neon key', 'na', 'pi_', filler(LOWER + DIGITS, 64)],
    ['Netlify token', 'nf', 'p_', filler(BASE62, 36)],
    ['Notion token', 'sec', 'ret_', filler(BASE62, 43)],
    ['NVIDIA key', 'nv', 'api-', filler(BASE64_URL, 63), 'x'],
    ['OpenShift token', 'sha', '256~', filler(BASE64_URL, 42), 'x'],
    ['Pinecone key', 'pc', 'sk_', filler(BASE62, 5), '_', filler(BASE62, 63)],
    ['PostHog key', 'ph', 'x_', filler(BASE62, 43)],
    ['Postman key', 'PM', 'AK-', filler(HEX, 24), '-', filler(HEX, 34)],
    ['Resend key', 'r', 'e_', filler(BASE62, 8), '_', filler(BASE62, 24)],
    ['Sonar token', 'sq', 'u_', filler(HEX, 40)],
    ['Tavily key', 'tv', 'ly-dev-', filler(BASE62, 32)],
    ['Vault token', 'hv', 'b.', filler(BASE64_URL, 140), 'x'],
    ['Voyage key', 'p', 'a-', filler(BASE64_URL, 42), 'x'],
    ['wallet key', 'xp', 'rv', filler(BASE62.replaceAll(/[0OIl]/g, ''), 107)],
    ['recovery code', Array.from({ length: 8 }, (_, i) => chars(DIGITS, 6, seed + i)).join('-')],
  ];
}

/** Credentials that are recognised by their format: the kind, and the parts of the secret. */
function recognisedByFormat(seed: number): readonly (readonly [kind: string, ...parts: string[]])[] {
  const filler = (alphabet: string, length: number): string => chars(alphabet, length, seed);
  return [
    ['Loci token', 'loci_', filler(BASE62, 49)],
    ['AWS access key', 'AK', 'IA', filler(UPPER + DIGITS, 16)],
    ['AWS access key', 'AS', 'IA', filler(UPPER + DIGITS, 16)],
    ['GitHub token', 'gh', 'p_', filler(BASE62, 36)],
    ['GitHub token', 'gh', 'o_', filler(BASE62, 36)],
    ['GitHub token', 'github', '_pat_', filler(BASE62, 22), '_', filler(BASE62, 59)],
    ['GitHub token', 'gh', 's_1234_', webToken(seed)],
    ['GitLab token', 'gl', 'pat-', filler(BASE64_URL, 19), 'x'],
    ['GitLab token', 'gl', 'pat-', filler(BASE64_URL, 26), 'x.01.', filler(HEX, 9)],
    ['GitLab token', 'gl', 'dt-', filler(BASE64_URL, 19), 'x'],
    ['Slack token', 'xo', 'xb-', filler(DIGITS, 12), '-', filler(DIGITS, 12), '-', filler(BASE62, 24)],
    [
      'Slack token',
      'xo',
      'xp-',
      filler(DIGITS, 12),
      '-',
      filler(DIGITS, 12),
      '-',
      filler(DIGITS, 12),
      '-',
      filler(HEX, 32),
    ],
    ['Slack token', 'xo', 'xe.xo', 'xp-1-', filler(BASE62, 146)],
    ['Stripe API key', 'sk', '_live_', filler(BASE62, 99)],
    ['Stripe API key', 'rk', '_test_', filler(BASE62, 24)],
    ['Stripe webhook secret', 'wh', 'sec_', filler(BASE62, 32)],
    ['OpenAI API key', 'sk', '-proj-', filler(BASE62, 74), 'T3Blbk', 'FJ', filler(BASE62, 74)],
    ['OpenAI API key', 'sk', '-', filler(BASE62, 20), 'T3Blbk', 'FJ', filler(BASE62, 20)],
    ['Anthropic API key', 'sk', '-ant-api03-', filler(BASE64_URL, 93), 'AA'],
    ['API key', 'sk', '-or-v1-', filler(HEX, 64)],
    ['Google API key', 'AI', 'za', filler(BASE64_URL, 34), 'x'],
    ['Google client secret', 'GOC', 'SPX-', filler(BASE64_URL, 27), 'x'],
    ['Google access token', 'ya', '29.', filler(BASE64_URL, 120), 'x'],
    ['Azure client secret', filler(BASE62, 3), '8', 'Q~', filler(BASE62, 34)],
    ['npm token', 'np', 'm_', filler(BASE62, 36)],
    ['PyPI token', 'py', 'pi-', 'AgEIcHlwaS5vcmc', filler(BASE64_URL, 120), 'x'],
    ['Hugging Face token', 'h', 'f_', filler(LOWER + UPPER, 34)],
    ['Groq API key', 'gs', 'k_', filler(BASE62, 52)],
    ['SendGrid API key', 'S', 'G.', filler(BASE64_URL, 22), '.', filler(BASE64_URL, 42), 'x'],
    ['Shopify token', 'shp', 'at_', filler(HEX, 32)],
    ['Twilio API key', 'S', 'K', filler(HEX, 32)],
    ['Discord token', 'M', filler(BASE62, 25), '.', filler(BASE62, 6), '.', filler(BASE64_URL, 37), 'x'],
    ['Telegram bot token', filler(DIGITS, 10), ':A', 'A', filler(BASE64_URL, 32), 'x'],
    ['DigitalOcean token', 'do', 'p_v1_', filler(HEX, 64)],
    ['Docker token', 'dckr', '_pat_', filler(BASE64_URL, 26), 'x'],
    ['Databricks token', 'da', 'pi', filler(HEX, 32)],
    ['Vault token', 'hv', 's.', filler(BASE64_URL, 94), 'x'],
    ['Terraform token', filler(BASE62, 14), '.atl', 'asv1.', filler(BASE62, 67)],
    ['Linear API key', 'lin', '_api_', filler(BASE62, 40)],
    ['Notion token', 'nt', 'n_', filler(DIGITS, 11), filler(BASE62, 35)],
    ['Figma token', 'fi', 'gd_', filler(BASE64_URL, 39), 'x'],
    ['Cloudflare API token', 'cf', 'ut_', filler(BASE62, 40), filler(HEX, 8)],
    ['Vercel token', 'vc', 'p_', filler(BASE62, 56)],
    ['Tailscale key', 'ts', 'key-auth-', filler(BASE62, 17), '-', filler(BASE62, 33)],
    ['Grafana token', 'gl', 'sa_', filler(BASE62, 32), '_', filler(HEX, 8)],
    ['1Password token', 'op', 's_', serviceAccountToken(seed)],
    ['Sentry token', 'snt', 'ryu_', filler(HEX, 64)],
    ['Atlassian token', 'ATA', 'TT3x', filler(BASE64_URL, 180), '=', filler(HEX, 8).toUpperCase()],
    ['age key', 'AGE-', 'SECRET-KEY-1', filler(UPPER + DIGITS, 58)],
    ...serviceTokens(seed),
    ['JSON Web Token', webToken(seed)],
    ['private key', pem('', seed)],
    ['private key', pem('RSA ', seed)],
    ['private key', pem('RSA ', seed, 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A1B\n\n')],
    ['private key', pem('EC ', seed)],
    ['private key', pem('OPENSSH ', seed)],
    ['private key', pem('ENCRYPTED ', seed)],
    ['private key', pem('PGP ', seed, 'Version: GnuPG v2\n\n')],
  ];
}

/** Credentials that are recognised by the name in front of them. */
function recognisedByName(seed: number): readonly CredentialSample[] {
  const password = `${chars(LOWER, 5, seed)}-${chars(BASE62, 9, seed)}9`;
  const key = chars(HEX, 40, seed);
  const sample = (kind: string, before: string, secret: string, after = ''): CredentialSample => ({
    kind,
    before,
    secret,
    after,
  });
  return [
    sample('password', 'password = ', password),
    sample('password', 'DB_PASSWORD="', password, '"'),
    sample('password', '{"passwd": "', password, '", "port": 5432}'),
    sample('password', '- **Password:** `', password, '` (changed in May)'),
    sample('password', 'The password is ', password, '.'),
    sample('password', '数据库密码：', password, '。'),
    sample('password', 'mysql -u root --password=', password, ' -h db'),
    sample('password', 'machine db login me password ', password),
    sample('password', 'curl -u me:', password, ' https://api.example.org'),
    sample('password in an address', 'postgres://app:', password, '@db.internal:5432/app'),
    sample('password in an address', 'mongodb+srv://app:', password, '@cluster0.example.org/app?w=majority'),
    sample('password in an address', 'redis://:', password, '@localhost:6379'),
    sample('password in an address', 'https://me:', password, '@example.org/x'),
    sample('token in an address', 'https://', key, '@git.example.org/x.git'),
    sample('bearer token', 'Authorization: Bearer ', key),
    sample('authorization header', 'Authorization: Basic ', Buffer.from(`me:${password}`).toString('base64')),
    sample('key', 'aws_secret_access_key = ', chars(BASE64, 40, seed)),
    sample('key', 'X-Api-Key: ', key),
    sample('key', 'export API_TOKEN=', key),
    sample('key', '//registry.example.org/:_authToken=', key),
    sample('key', 'client_secret: "', key, '"'),
    sample('Azure account key', 'AccountName=x;AccountKey=', `${chars(BASE64, 86, seed)}==`, ';'),
    sample(
      'Azure shared access signature',
      'https://x.example.org/?sv=2024&sig=',
      `${chars(BASE62, 43, seed)}%3D`,
    ),
    sample(
      'Slack token',
      '',
      `https://hooks.slack.com/services/T${key.slice(0, 8)}/B${key.slice(8, 16)}/${key.slice(16)}`,
    ),
    sample('key', 'DD_APP_KEY=', key),
    sample('private key', 'client-key-data: ', Buffer.from(pem('RSA ', seed)).toString('base64')),
    sample('wallet key', 'My wallet key: ', `0x${chars(HEX, 64, seed)}`),
    sample('session cookie', 'Cookie: theme=dark; connect.sid=', `s%3A${chars(BASE62, 40, seed)}`),
    sample(
      'session cookie',
      'Set-Cookie: PHPSESSID=',
      chars(LOWER + DIGITS, 6, seed) + chars(HEX, 20, seed),
      '; Path=/',
    ),
    sample('wifi key', 'WIFI:T:WPA;S:home;P:', chars(LOWER, 10, seed), ';;'),
    sample('wifi key', 'The WLAN key is ', '4711 0815 4711 0815 1234', '.'),
    sample('PIN', 'My card PIN is ', '4711', '.'),
    sample('PIN', 'PIN: ', '0815'),
    sample('PIN', 'the alarm code is ', '55120#', ','),
    sample(
      'recovery code',
      'My GitHub recovery codes:\n- ',
      `${chars(HEX, 5, seed)}-${chars(HEX, 5, seed)}\n- ${chars(HEX, 5, seed + 1)}-${chars(HEX, 5, seed + 1)}`,
    ),
    sample('recovery code', 'Backup codes: ', '12345678 87654321'),
    sample('Slack webhook', 'hooks.slack.com/triggers/', `T${key.slice(0, 8)}/12345678/${key.slice(8)}`),
  ];
}

/** One credential of each kind and format. Each seed gives different credentials of the same formats. */
export function credentialSamples(seed: number): readonly CredentialSample[] {
  const withoutContext = recognisedByFormat(seed).map(([kind, ...parts]) => ({
    kind,
    before: '',
    secret: parts.join(''),
    after: '',
  }));
  return [...withoutContext, ...recognisedByName(seed)];
}
