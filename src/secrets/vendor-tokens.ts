import type { SecretPattern } from './secret.ts';

/** Not inside a word. A match begins where a run of characters begins, so that no run is searched twice. */
const START = '(?<![A-Za-z0-9])';
const END = '(?![A-Za-z0-9])';

function token(kind: string, format: string, accept?: SecretPattern['accept']): SecretPattern {
  const pattern = new RegExp(`${START}(?:${format})${END}`, 'g');
  return accept === undefined ? { kind, pattern } : { kind, pattern, accept };
}

/** Made-up keys are often the alphabet, the digits, or both. */
const IN_ORDER = /abcdefgh|12345678/i;
/** No word has a digit between letters and this length. */
const LONG_CODE = /(?<![0-9A-Za-z])(?=[0-9A-Za-z]{24})\d*[A-Za-z]+\d+[A-Za-z]/;

/** Whether a text has digits and letters of both cases, a long hexadecimal number or code, or characters in order. */
function isRandom(secret: string): boolean {
  if (IN_ORDER.test(secret)) return true;
  if (!/\d/.test(secret)) return false;
  return (
    (/[a-z]/.test(secret) && /[A-Z]/.test(secret)) || /[0-9a-f]{32}/.test(secret) || LONG_CODE.test(secret)
  );
}

/**
 * Tokens with a prefix or a form of their vendor, from its documentation or its entry in GitHub's list of secret scanning
 * patterns. The preset of secretlint has no rule for them, or only for one of several forms.
 */
export const VENDOR_TOKENS: readonly SecretPattern[] = [
  // 43 digits of base 62 and a checksum of 6. The checksum is not verified: a token with a typo still reveals the rest.
  token('Loci token', 'loci_[0-9A-Za-z]{49}'),
  // IAM identifiers: access keys, temporary ones, bearer tokens, context-specific credentials.
  token('AWS access key', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}'),
  token('Google API key', 'AIza[0-9A-Za-z_-]{35}'),
  token('Google client secret', 'GOCSPX-[0-9A-Za-z_-]{28}'),
  token('Google access token', String.raw`ya29\.[0-9A-Za-z_.-]{40,}`),
  token('Google refresh token', '1//0[0-9A-Za-z_-]{40,}'),
  token('Azure client secret', String.raw`[0-9A-Za-z_~.-]{3}[78]Q~[0-9A-Za-z_~.-]{31,34}`),
  // Storage and Cosmos DB: 64 bytes in base64; Service Bus, Event Hubs, IoT Hub: 32 bytes.
  {
    kind: 'Azure account key',
    pattern: /(?:AccountKey|SharedAccessKey)=(?<secret>[0-9A-Za-z+/]{43,86}={1,2})/dg,
  },
  {
    kind: 'Azure shared access signature',
    pattern: /[?&]sig=(?<secret>(?:[0-9A-Za-z+/]|%[0-9A-Fa-f]{2}){43,63}={0,2})/dg,
  },
  // OpenAI, Anthropic, OpenRouter, DeepSeek and others; secretlint only finds the first two, in their exact lengths.
  token('API key', 'sk-[0-9A-Za-z_-]{20,}', isRandom),
  token('Hugging Face token', '(?:hf|api_org)_[0-9A-Za-z]{30,40}'),
  token(
    'Doppler token',
    String.raw`dp\.(?:pt|st|sa|ct|scim|audit)\.(?:[0-9a-z_-]{2,35}\.)?[0-9A-Za-z]{40,44}`,
  ),
  token('xAI API key', 'xai-[0-9A-Za-z]{70,90}'),
  token('Perplexity API key', 'pplx-[0-9A-Za-z]{40,64}'),
  token('Replicate token', 'r8_[0-9A-Za-z]{37,40}'),
  token('Slack token', String.raw`xox[cds]-[0-9A-Za-z%-]{20,}|xoxe(?:\.xox[bp])?-\d-[0-9A-Za-z]{40,}`),
  // Trigger, deploy, runner, job, feed, OAuth, agent and other tokens. The parts after dots are routing data.
  token(
    'GitLab token',
    String.raw`gl(?:pat|ptt|dt|rt|rtr|cbt|ft|oas|imt|agent|soat|ffct)-[0-9A-Za-z_-]{20,}(?:\.[0-9a-z.]{2,20})?`,
  ),
  // Personal, OAuth, user-to-server, server-to-server and refresh tokens; fine-grained tokens; tokens of apps, which contain a JWT.
  token('GitHub token', 'gh[opsur]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{59}'),
  {
    kind: 'GitHub token',
    pattern: /(?<![0-9A-Za-z_-])ghs_\d{1,20}_[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}/g,
  },
  token('SendGrid API key', String.raw`SG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}`),
  token('Stripe webhook secret', 'whsec_[0-9A-Za-z+/]{32,}={0,2}'),
  token('Discord token', String.raw`[MNO][0-9A-Za-z_-]{23,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,40}`),
  token('Telegram bot token', String.raw`\d{8,10}:AA[0-9A-Za-z_-]{33}`),
  token('Twilio API key', 'SK[0-9a-f]{32}'),
  token('Mailgun API key', 'key-[0-9a-f]{32}'),
  token('Mailchimp API key', '[0-9a-f]{32}-us[0-9]{1,2}'),
  token('PyPI token', 'pypi-[0-9A-Za-z_-]{70,}'),
  token('RubyGems API key', 'rubygems_[0-9a-f]{48}'),
  token('NuGet API key', 'oy2[a-z0-9]{43}'),
  token('DigitalOcean token', 'do[opr]_v1_[0-9a-f]{64}'),
  token('Docker token', 'dckr_oat_[0-9A-Za-z_-]{27,40}'),
  token('Heroku API key', 'HRKU-[0-9A-Za-z_-]{36,64}'),
  token('Atlassian token', 'AT[AC]TT3x[0-9A-Za-z_=-]{50,}|ATBB[0-9A-Za-z]{24,32}'),
  token('Sentry token', 'sntry[su]_[0-9A-Za-z+/=_]{60,}'),
  token('New Relic key', 'NRAK-[0-9A-Z]{27}'),
  token('Airtable token', String.raw`pat[0-9A-Za-z]{14}\.[0-9a-f]{64}`),
  token('Supabase key', 'sbp_[0-9a-f]{40}|sb_secret_[0-9A-Za-z_-]{22,40}'),
  token('PlanetScale token', 'pscale_(?:tkn|pw|oauth)_[0-9A-Za-z_.=-]{32,64}'),
  token('Terraform token', String.raw`[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,70}`),
  token('Pulumi token', 'pul-[0-9a-f]{40}'),
  token('Square token', 'sq0(?:atp|csp)-[0-9A-Za-z_-]{22,43}'),
  // JSON in base64. secretlint only finds every third length.
  token('1Password token', 'ops_eyJ[0-9A-Za-z+/_-]{100,}={0,2}'),
  // age-encryption.org/v1: Bech32 of 32 bytes.
  token('age key', 'AGE-SECRET-KEY-1[0-9A-Z]{58}'),
  // RFC 7519 in the compact form of RFC 7515 and 7516: `eyJ` is `{"`.
  {
    kind: 'JSON Web Token',
    pattern:
      /(?<![0-9A-Za-z_-])eyJ[0-9A-Za-z_-]{8,}\.(?:eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}|[0-9A-Za-z_-]*\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,})/g,
  },
  {
    kind: 'Slack webhook',
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[0-9A-Za-z/]{20,})/dg,
  },
  {
    kind: 'Discord webhook',
    pattern: /discord(?:app)?\.com\/api\/webhooks\/(?<secret>\d{15,20}\/[0-9A-Za-z_-]{60,})/dg,
  },
];

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const BASE58 = '[1-9A-HJ-NP-Za-km-z]';

/**
 * Formats that config/gitleaks.toml of gitleaks has (https://github.com/gitleaks/gitleaks, MIT, commit b58d3f1), and that neither
 * secretlint nor `VENDOR_TOKENS` finds. Its rules that need the name of the vendor are covered by `NAMED_CREDENTIALS`.
 */
const OF_GITLEAKS: readonly SecretPattern[] = [
  token(
    '1Password secret key',
    'A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}',
    hasDigit,
  ),
  token('AWS Bedrock key', 'ABSK[0-9A-Za-z+/]{109,269}={0,2}|bedrock-api-key-[0-9A-Za-z+/_-]{40,}={0,2}'),
  token('Adobe client secret', 'p8e-[0-9a-zA-Z]{32}'),
  token('Alibaba access key', 'LTAI[0-9A-Za-z]{20}', isRandom),
  token('Artifactory token', 'AKCp[0-9A-Za-z]{69}|cmVmd[0-9A-Za-z]{59}'),
  token('ClickHouse key', '4b1d[0-9A-Za-z]{38}', isRandom),
  token('Clojars token', 'CLOJARS_[0-9a-z]{60}'),
  token('Cloudflare origin key', String.raw`v1\.0-[0-9a-f]{24}-[0-9a-f]{146}`),
  token('Duffel token', 'duffel_(?:test|live)_[0-9A-Za-z_=-]{43}'),
  token('Dynatrace token', String.raw`dt0c01\.[0-9A-Za-z]{24}\.[0-9A-Za-z]{64}`),
  token('EasyPost key', 'EZ[AT]K[0-9A-Za-z]{54}'),
  token('Facebook token', 'EAA[MC][0-9A-Za-z]{100,}'),
  token('Flutterwave key', 'FLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,32}(?:-X)?', hasDigit),
  token('Fly token', 'fo1_[0-9A-Za-z_-]{43}|fm(?:1[ar]|2)_[0-9A-Za-z+/]{100,}={0,3}'),
  token('Frame.io token', 'fio-u-[0-9A-Za-z_=-]{64}'),
  token('Grafana token', 'glc_[0-9A-Za-z+/]{32,400}={0,3}'),
  token('Harness token', String.raw`[ps]at\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z]{24}\.[0-9A-Za-z]{20}`),
  token('Infracost key', 'ico-[0-9A-Za-z]{32}', isRandom),
  token('Intra 42 secret', 's-s4t2(?:ud|af)-[0-9a-f]{64}'),
  token('Lob key', '(?:live|test)_(?:pub_[0-9a-f]{31}|[0-9a-f]{35})'),
  token('MaxMind key', '[0-9A-Za-z]{6}_[0-9A-Za-z]{29}_mmk'),
  token('Octopus Deploy key', 'API-[0-9A-Z]{26}', hasDigit),
  token('OpenShift token', 'sha256~[0-9A-Za-z_-]{43}'),
  token('Plaid token', `access-(?:sandbox|development|production)-${UUID}`),
  token('Postman key', 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}'),
  token('Prefect token', 'pnu_[0-9A-Za-z]{36}'),
  token('Readme token', 'rdme_[0-9a-z]{70}'),
  token('Scalingo token', 'tk-us-[0-9A-Za-z_-]{48}'),
  token('Brevo key', 'xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}'),
  token('SettleMint token', 'sm_[aps]at_[0-9A-Za-z]{16}'),
  token('Shippo token', 'shippo_(?:live|test)_[0-9a-fA-F]{40}'),
  token('Sonar token', 'sq[upa]_[0-9a-f]{40}'),
  token('Sourcegraph token', 'sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}'),
  token('Square token', 'EAAA[0-9A-Za-z_-]{56,60}'),
  token('Typeform token', String.raw`tfp_[0-9A-Za-z_.=-]{44,59}`),
  token('Vault token', String.raw`hvb\.[0-9A-Za-z_-]{138,300}`),
  token(
    'Yandex key',
    String.raw`AQVN[0-9A-Za-z_-]{35,38}|t1\.[0-9A-Za-z_-]{16,400}={0,2}\.[0-9A-Za-z_-]{86}={0,2}`,
  ),
];

/** Formats in the documentation of their vendors, or of trufflehog's detectors, that gitleaks does not have. */
const OF_VENDORS: readonly SecretPattern[] = [
  // Keys of Google AI Studio and Vertex AI from 2026 on.
  token('Google API key', String.raw`AQ\.[0-9A-Za-z_-]{30,}`, isRandom),
  token('Cerebras key', 'csk-[0-9a-z]{40,64}', hasDigit),
  token('Contentful token', 'CFPAT-[0-9A-Za-z_-]{40,}'),
  token('E2B key', 'e2b_[0-9a-f]{40}'),
  token('ElevenLabs key', 'sk_[0-9a-f]{48}'),
  token('Firecrawl key', 'fc-[0-9a-f]{32}'),
  token('Fireworks key', 'fw_[0-9A-Za-z]{22,40}', isRandom),
  token('HubSpot token', `pat-(?:na|eu|ap)\\d-${UUID}`),
  token('Jina key', 'jina_[0-9a-zA-Z_-]{40,}'),
  token('LangSmith key', 'lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}'),
  token('Langfuse key', `sk-lf-${UUID}`),
  token('LlamaIndex key', 'llx-[0-9A-Za-z]{40,}'),
  token('Neon key', 'napi_[0-9a-z]{60,}'),
  token('Netlify token', 'nf[pcou]_[0-9A-Za-z]{36}'),
  token('Notion token', 'secret_[0-9A-Za-z]{43}|ntn_[0-9]{11}[0-9A-Za-z]{35}'),
  token('NVIDIA key', 'nvapi-[0-9A-Za-z_-]{60,}'),
  token('Pinecone key', 'pcsk_[0-9A-Za-z]{5,6}_[0-9A-Za-z]{60,}'),
  token('PostHog key', 'ph[xs]_[0-9A-Za-z]{40,}'),
  token('Render key', 'rnd_[0-9A-Za-z]{28,32}', isRandom),
  token('Resend key', 're_[0-9A-Za-z]{8}_[0-9A-Za-z]{24}', isRandom),
  token('Tavily key', 'tvly-(?:dev-|prod-)?[0-9A-Za-z_-]{32,}', hasDigit),
  token('Voyage key', 'pa-[0-9A-Za-z_-]{43}', isRandom),
  token('Weights & Biases key', 'wandb_v1_[0-9A-Za-z]{27}_[0-9A-Za-z]{49}'),
  token('crates.io token', 'cio[0-9A-Za-z]{32}', isRandom),
  // BIP 32, and NIP-19 of Nostr.
  token('wallet key', `[xyzt]prv${BASE58}{107}|nsec1[02-9ac-hj-np-z]{58}`),
];

function hasDigit(secret: string): boolean {
  return /\d/.test(secret);
}

/** Tokens of services with a prefix of their vendor. */
export const SERVICE_TOKENS: readonly SecretPattern[] = [...OF_GITLEAKS, ...OF_VENDORS];
