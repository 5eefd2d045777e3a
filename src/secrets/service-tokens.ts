import type { SecretPattern } from './secret.ts';
import { isRandom, token } from './vendor-tokens.ts';

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
