import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentialSamples } from '../../test/contract/credential-samples.ts';
import { repetitions } from '../../test/repetitions.ts';
import { TaskThread } from '../core/threads/task-thread.ts';
import { type Detector, detectSecrets, loadDetectors, SECRET_DETECTION } from './detect.ts';
import { ADDRESS_PASSWORD, ADDRESS_TOKEN, NAMED_CREDENTIALS } from './named-credentials.ts';
import type { SecretPattern } from './secret.ts';
import { STATED_SECRETS } from './stated-secrets.ts';
import { SERVICE_TOKENS, VENDOR_TOKENS } from './vendor-tokens.ts';

/** Tokens without digits, assembled so that a secret scanner does not find them in the repository. */
const HUGGING_FACE = ['hf', 'abcdefgh'.repeat(4)].join('_');
const DOPPLER = ['dp', 'pt', 'abcdefgh'.repeat(5)].join('.');

const ACCESS_KEY = ['AKIA', 'ABCDEFGH', '12345678'].join('');
const SECRET_KEY = ['wJalrXUtnFEMI/K7MDENG', 'bPxRfiCYzzzzzzzKEY'].join('/');
const SEED_WORDS = ['legal winner thank year wave sausage', 'worth useful legal winner thank yellow'].join(
  ' ',
);
const WALLET = ['5HueCGU8rMjxEXxiPuD5BDku4M', 'kFqeZyd4dZ1jvhTVqvbTLvyTJ'].join('');

const whole = new TaskThread();
const thread = whole.ownedBy('a');

afterAll(async () => whole.close());

/** More codes than any service gives. */
const MANY_CODES = Array.from({ length: 40 }, (_, i) => `a1${String(100 + i)}-${String(70_000 + i)}`).join(
  '\n',
);

async function found(text: string, name?: string): Promise<string[]> {
  return (await detectSecrets(text, name)).map(({ start, end }) => text.slice(start, end));
}

describe('detectSecrets', () => {
  const samples = credentialSamples(1);

  it('has samples of more than thirty kinds', () => {
    expect(new Set(samples.map(({ kind }) => kind)).size).toBeGreaterThan(30);
  });

  it.each(samples.map((sample, row) => [row, sample.kind, sample] as const))(
    'finds sample %i, %s, alone, in prose, in a quotation and after ideographs',
    async (_row, kind, { before, secret, after }) => {
      for (const [head, tail] of [
        ['', ''],
        ['We set it up in May. ', ' It works.'],
        ['> 🔑 ', '\n> and so on'],
        ['注意：\u200b', ''],
      ] as const) {
        const start = head.length + before.length;
        const text = `${head}${before}${secret}${after}${tail}`;
        expect(await detectSecrets(text)).toEqual([{ kind, start, end: start + secret.length }]);
      }
    },
  );

  it.each([
    'The password is stored in the safe. Passwords: at least 12 characters, one digit.',
    'password: SHA256-hashed, then base64-encoded; the passphrase is 6-word diceware',
    'password = os.environ["DB_PASSWORD_2"]; token = config.api.token2; pwd=$(cat /run/secrets/db2)',
    'DB_PASSWORD=$' + '{DB_PASSWORD} API_KEY=<your-api-key-123> password: ********* token=xxxxxxxxxxxxxxxx1',
    'secret: prod/db-main-2, token: utf8, api key: version-2-beta, secret key: /run/secrets/key1',
    'Authorization: Bearer <token>, and `Bearer your-token-12345`',
    'https://example.org:8080/path@2 and mailto:me@example.org and postgres://db.internal:5432/app',
    'postgres://postgres:postgres@localhost:5432/db redis://:password@localhost ftp://$USER:$PASS@host',
    'A file that begins with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----',
    'commit a94a8fe5ccb19ba61c4c0873d391e987982fbbd3, uuid 123e4567-e89b-12d3-a456-426614174000',
    'sk-learn-0-24-is-what-we-use; loci_search; xoxb-your-slack-token-here; AKIA; eyJ; ghp_',
    'token: 0xdAC17F958D2ee523a2206206994597C13D831ec7, secret: grandma-uses-2tbsp-cinnamon',
    'The meeting is at 10:30, token economy 2024; pass the salt = 3 grams',
    'SHA-256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  ])('finds nothing in: %s', async (text) => {
    expect(await found(text)).toEqual([]);
  });

  it.each(
    [
      'abcdefghijklmnopqrstuvwxyz123456',
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
      '0123456789abcdef0123456789abcdef',
      '1234567890abcdefghijklmnopqrstuv',
      'k3v9x2m7q1w8z4b6n5t0r2y8u7p1s4d6',
    ].flatMap((body) => ['sk-', 'sk-proj-', 'rnd_', 'ico-', 'cio', 'api_key='].map((head) => [head, body])),
  )('finds a key whose characters are in order, or in lower case: %s%s', async (head, body) => {
    const [secret] = await found(`The key is ${head}${body} for now.`);
    expect(secret).toContain(body);
  });

  it.each([
    'sk-internationalization-2024-notes-of-the-team, sk-123e4567-e89b-12d3-a456-426614174000',
    'pa-2024-11-28-meeting-with-the-whole-team-and-friends; re_opening_in_spring_2027_in_the_city_hall',
    'api_key: 2000000tokens, secret: 250milliseconds; sk-donaudampfschifffahrtsgesellschaft2024',
  ])('finds no key in names with numbers: %s', async (text) => {
    expect(await found(text)).toEqual([]);
  });

  it('finds nothing in the example vault', async () => {
    const vault = fileURLToPath(new URL('../../examples/vault/', import.meta.url));
    const notes = readdirSync(vault, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.md'),
    );
    expect(notes.length).toBeGreaterThan(50);
    for (const note of notes) expect(await found(readFileSync(join(vault, note), 'utf8'))).toEqual([]);
  });

  it.each([
    ['DB_PASSWORD=swordfish', 'swordfish'],
    ['export WIFI_PASSWORD=swordfish # at home', 'swordfish'],
    ['{"user": "ada", "password": "MyDogIsCalledRex"}', 'MyDogIsCalledRex'],
    ["password = 'correcthorse'", 'correcthorse'],
    ['api_key=qwertzuiopasdfghjk', 'qwertzuiopasdfghjk'],
    ['Das WLAN-Passwort lautet hunter2hunter.', 'hunter2hunter'],
    ['The password of the server is hunter2hunter2.', 'hunter2hunter2'],
    ['Our password for the old guest network is Tulip4you', 'Tulip4you'],
    ['Das Passwort für den Router im Keller ist geheim77x!', 'geheim77x'],
    ['The API key of the weather service is 8f3kd92jq1mzx7pw0v', '8f3kd92jq1mzx7pw0v'],
    ['My wifi password is swordfish-4411.', 'swordfish-4411'],
    ['Mein Passwort ist Katze-2024', 'Katze-2024'],
    ['Mein Kennwort ist Regen2024Bogen', 'Regen2024Bogen'],
    ['Le mot de passe est soleil1789', 'soleil1789'],
    [`huggingface: ${HUGGING_FACE}`, HUGGING_FACE],
    [`doppler: ${DOPPLER}`, DOPPLER],
  ])(
    'finds a secret without digits, or with words around it in another language: %s',
    async (text, secret) => {
      expect(await found(text)).toEqual([secret]);
    },
  );

  it.each([
    '| `--password` | E2E-Verschlüsselungspasswort (wird abgefragt)',
    'password=true; PASSWORD=required; "password": "string", "api_key": "YOUR_API_KEY", DB_PASSWORD=$DB_PASSWORD',
    'Password: see the safe. The password = the name of the cat. The passphrase: ask Maren.',
    'Das Passwort ist falsch, und mein Kennwort ist geheim. Le mot de passe est perdu. La contraseña es secreta.',
    'The password for the demo account was changed in March, and the password of each guest is at least 12 characters long. The token for the map of 2024 is gone.',
    'token=configuration_of_the_server, "secret": "apiKey", password=config.password, pwd=/run/secrets/db',
  ])('leaves prose and settings about passwords alone: %s', async (text) => {
    expect(await found(text)).toEqual([]);
  });

  it('finds keys with invisible characters and in full width', async () => {
    const [secret = '', hidden = ''] = ['', '\u200b'].map((space) =>
      ['AKIA', 'ABCDEFGH', 'IJKLMNOP'].join(space),
    );
    const wide = [...secret].map((char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)).join('');
    expect(await found(`\ufeffa ${hidden} b`)).toEqual([hidden]);
    expect(await found(`𝄞 ${wide} 𝄞`)).toEqual([wide]);
  });

  it('finds several secrets in order, and merges those that overlap', async () => {
    const texts = ['hunter2', ...samples.slice(1, 5).map(({ secret }) => secret)];
    expect(await found(`password=${texts.join(' , ')}`)).toEqual(texts);
    const [, aws] = samples;
    const within = `https://me:${aws?.secret ?? ''}@example.org`;
    expect(await detectSecrets(within)).toEqual([{ kind: aws?.kind, start: 11, end: 31 }]);
  });

  it('finds a private key in a string, without its end, and rewrapped', async () => {
    const key = samples.find(({ kind }) => kind === 'private key')?.secret ?? '';
    const open = key.slice(0, key.lastIndexOf('\n'));
    const wrapped = key.replaceAll(/(.{30})/g, '$1\r\n    > ');
    for (const text of [key.replaceAll('\n', String.raw`\n`), open, wrapped])
      expect(await found(`{"key": "${text}"}`)).toEqual([text]);
    expect(await found(`${key}\n${key}`)).toEqual([key, key]);
    expect(await found(`${open}\nThis is how it began.`)).toEqual([open]);
  });

  it.each([
    ['db.internal:5432:app:ada:correct-horse', 'correct-horse'],
    ['*:*:*:ada:tr0ub4dor', 'tr0ub4dor'],
    [
      'PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\nAAAAgQDQ\nZ2Zq+/=\nPrivate-MAC: 00',
      'AAAAgQDQ\nZ2Zq+/=\n',
    ],
    [`access key ${ACCESS_KEY},${SECRET_KEY}`, ACCESS_KEY, SECRET_KEY],
    [`| ${ACCESS_KEY} |\n| ${SECRET_KEY} |`, ACCESS_KEY, SECRET_KEY],
    [`secret ${SECRET_KEY}, id ${ACCESS_KEY}`, SECRET_KEY, ACCESS_KEY],
    ['Our Wi-Fi key is sunnydaysalways.', 'sunnydaysalways'],
    ['WLAN-Schlüssel: sonnentagimmer', 'sonnentagimmer'],
    ['The PIN of the visa card is 4821.', '4821'],
    ['Mi PIN es 4821', '4821'],
    [`My seed phrase is ${SEED_WORDS}. Keep it.`, SEED_WORDS],
    [`Recovery phrase:\n1. ${SEED_WORDS.replaceAll(' ', '\n1. ')}\n`, SEED_WORDS.replaceAll(' ', '\n1. ')],
    ['Google backup codes:\n\n1. 1234 5678\n2. 8765 4321\n\nKeep them.', '1234 5678\n2. 8765 4321'],
    [`## Recovery codes\n\n${MANY_CODES}\n\nThe end.`, MANY_CODES],
    [`2FA codes: ${MANY_CODES.replaceAll('\n', ' ')} and more`, MANY_CODES.replaceAll('\n', ' ')],
    ['Recovery codes are:\n- abcdefgh\n- k3j4h5j6\n', 'abcdefgh\n- k3j4h5j6'],
    ['Recovery codes:\n- k3j4h5j6\n- abcdefgh\n- x9archiv\nDone.', 'k3j4h5j6\n- abcdefgh\n- x9archiv'],
    ['Backup codes:\n1. [ ] a1b2-c3d4\n2. [x] e5f6-a7b8', 'a1b2-c3d4\n2. [x] e5f6-a7b8'],
    ['My backup code is a1b2c3d4, kept here.', 'a1b2c3d4'],
    ['| backup code | a1b2-c3d4 |', 'a1b2-c3d4'],
    // A test vector of Bitcoin's wallet import format.
    [`paper wallet ${WALLET}, printed`, WALLET],
  ])('finds what is recognised by what is around it: %s', async (text, ...secrets) => {
    expect(await found(text)).toEqual(secrets);
  });

  it.each([
    `paper wallet ${WALLET.replace('5H', '5J')}: not a key, because of its checksum`,
    'The PIN code of Bengaluru is 560001. PIN: 560 001. Pin 13 is GPIO. My pins are 4711.',
    'src/main.ts:120:5:error:unexpected; 10:30:45:12:50; a:b:c:d:e; my:8080:other:thing',
    'transaction 0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 in block 4711',
    'Recovery codes: download them and print them. The backup key is in the safe since 2024-05-01.',
    'The door code is on the fridge; the alarm code changes in 2025. Session=weekly; cookie: consent',
    'The seed phrase consists of twelve words that one must never give away. A recovery phrase can restore the wallet on any device',
    'Backup codes are stored in folder2024 and archive01 on the NAS',
    'Recovery keys live in 1Password and Infrastructure2024; backup codes: Infrastructure2024, archive01',
    'The recovery code is described under chapter11; backup codes: download, infrastructure2024',
    'Our recovery code review is at meeting2024. The recovery code is Infrastructure2024',
    'One-time codes are sent by twilio2 provider. Recovery keys: 1Password',
    'MFA key points from the 2024 talk by Anna. The recovery key results 2024-2025-season',
    'Notes about the backup codes\nInfrastructure2024 is where they are. Emergency codes: 20240501',
    'router code: reviewed and merged',
    'The wifi key is unfortunately lost. The wifi key is on the back',
    'The PIN of the post office in Pune is 411001. The pin for the hinge is 2024 mm long',
    `commit a94a8fe5ccb19ba61c4c0873d391e987982fbbd3 removed the key of the account`,
    'Our recovery phrase for the workshop: bring lunch boxes drive slowly past green hills and then paint your windows golden before dinner begins tonight',
    'The wallet words were chosen with care from lists that each team had made while others slept',
    'the wifi key is on the router; wpa key: ask; psk=<your-key-1>; sid=4711',
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUN5RENDQWJDZ0F3SUJBZ0lCQURBTkJna3Foa2lHOXcwQkFRc0ZBREFWTVJNd0VRWURWUVFERXdwcmRXSmw',
  ])('leaves alone what only looks like a stated secret: %s', async (text) => {
    expect(await found(text)).toEqual([]);
  });

  it('recognises a value by the name of its field', async () => {
    expect(await found('hunter2')).toEqual([]);
    expect(await found('hunter2', 'wifi_password')).toEqual(['hunter2']);
    expect(await found('correct', 'password_hint')).toEqual([]);
    expect(await found('the rest', `api_key_${samples[1]?.secret ?? ''}`)).toEqual([]);
  });

  it('cannot be disabled by the text', async () => {
    const { secret } = samples[1] ?? { secret: '' };
    expect(await found(`secretlint-disable\n${secret} // secretlint-disable-line`)).toEqual([secret]);
  });

  it('returns the same result in a thread', async () => {
    const text = `${'word '.repeat(20_000)}${samples[1]?.secret ?? ''}`;
    expect(await thread.run(SECRET_DETECTION, [text], { size: text.length })).toEqual(
      await detectSecrets(text),
    );
  });
});

describe('detectSecrets on hostile texts', () => {
  const begin = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ');
  it.each([
    'a',
    ' ',
    '\u200ba',
    begin,
    `${begin}\nAb: ${'Abc: '.repeat(39)}`,
    `${begin}\n${'A'.repeat(30)}\n${'A'.repeat(10)}${' '.repeat(100)}`,
    'eyJ',
    'eyJaaaaaaaa.eyJaaaaaaaaa',
    'password',
    'password="',
    `password=a1${'.'.repeat(5000)} `,
    `token=a${'-a'.repeat(5000)}! `,
    'password is ',
    'login a\n',
    'curl -u a',
    'authorization: a ',
    'bearer a-',
    'a://b:',
    `ab://:${'@'.repeat(400)}`,
    'sk-proj-',
    'sk-ant-api03-',
    'glpat-',
    'xoxb-a-',
    'xoxe.xoxb-1-',
    `&sig=${'%41'.repeat(62)}`,
    'ghs_1_',
    `${'ghs_1_'.repeat(150)}.${'ghs_1_'.repeat(1600)}`,
    `SG.a.${'_'.repeat(256)}`,
    'mongodb://a:b@c/',
    `hvb.${'a'.repeat(137)}`,
    'AKIAABCDEFGHIJKLMNOP ',
    `${'aB3'.repeat(13)}a `,
    'my pin of my visa ',
    'wifi key is aaaaaaaaaaaa',
    'cookie: a=b; ',
    `cookie: ${'a=b; '.repeat(20)}`,
    'sessionid=',
    'backup codes ',
    `recovery codes: ${'a1b2c3d4 '.repeat(40)}`,
    'a1b2c3d4\n',
    `recovery codes: ${'a1b2c3d4 '.repeat(25_000)}`,
    `recovery codes:\n${'- archive01\n'.repeat(20)}`,
    `recovery codes: ${'archive01 '.repeat(20)}`,
    'recovery codes:\n \n',
    'my my my my pin',
    'seed phrase ',
    `seed words ${'legal winner '.repeat(9)}`,
    'the door code is ',
    'WIFI:',
    'a:1234:b:c:\n',
    'Private-Lines: 1\nAAAA\n',
    'wallet key ',
    'psk=1234 5678 ',
    'EAAA',
    'A3-',
  ])('takes only seconds for a quarter of a megabyte of %j', { timeout: 10_000 }, async (part) => {
    const text = part.repeat(Math.ceil(250_000 / part.length));
    // A thread can be stopped if a pattern backtracks catastrophically. A quadratic pattern would take minutes.
    const signal = AbortSignal.timeout(8000);
    await expect(thread.run(SECRET_DETECTION, [text], { size: text.length, signal })).resolves.toBeInstanceOf(
      Array,
    );
  });
});

const LISTS = [
  VENDOR_TOKENS,
  SERVICE_TOKENS,
  [ADDRESS_PASSWORD, ADDRESS_TOKEN],
  NAMED_CREDENTIALS,
  STATED_SECRETS,
] as const;
const PATTERNS = LISTS.flat();
const LOOKAROUND = /\(\?<?[!=](?:\[(?:\\.|[^\]\\])*\]|[^()[\]])*\)/g;

let detectors: readonly Detector[];

beforeAll(async () => {
  detectors = await loadDetectors();
});

/** Texts that match a pattern, except perhaps for what is before and after the match. */
function matching({ pattern }: SecretPattern): fc.Arbitrary<string> {
  const source = pattern.source
    .replace(LOOKAROUND, '')
    .replaceAll(String.raw`\b`, '')
    .replaceAll(String.raw`\p{L}`, 'a-z');
  return fc.stringMatching(new RegExp(source, 'u'), { size: '-1' });
}

/** The same in capitals, or with letters that are equal to ASCII letters when case is ignored. */
const spelled = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(texts, fc.constantFrom(...(['as is', 'as is', 'upper', 'title', 'kelvin'] as const)))
    .map(([text, form]) => {
      if (form === 'upper') return text.toUpperCase();
      if (form === 'title') return text.slice(0, 1).toUpperCase() + text.slice(1);
      return form === 'kelvin' ? text.replaceAll('k', '\u212a').replaceAll('s', '\u017f') : text;
    });

const SHORT_FORMS = ['xoxb-a-b', 'xapp-1-a-b', 'xoxr-a-b', '_authToken=x'];
const samples = credentialSamples(1).map(({ before, secret, after }) => before + secret + after);

const piece = fc.oneof(
  ...PATTERNS.map((pattern) => spelled(matching(pattern))),
  { weight: 10, arbitrary: spelled(fc.constantFrom(...samples)) },
  { weight: 3, arbitrary: fc.constantFrom(...SHORT_FORMS) },
  { weight: 5, arbitrary: fc.string({ maxLength: 20 }) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(' ', '\n', ' is ', ': ', '="', '密码是', 'monkey', 'https://example.org/a@b'),
  },
);

describe('the quick test of a detector', () => {
  it('is true for every text in which the detector finds something', () => {
    const found = new Set<Detector>();
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
        const text = pieces.join('');
        for (const detector of detectors) {
          if (detector.find(text).length === 0) continue;
          found.add(detector);
          expect(detector.mayFind(text)).toBe(true);
        }
      }),
      // The samples have something for every detector.
      { numRuns: repetitions(500, 10_000) + samples.length, examples: samples.map((sample) => [[sample]]) },
    );
    expect(found.size).toBe(detectors.length);
  });

  it.each(PATTERNS.map((pattern, i) => [i, pattern.kind, pattern] as const))(
    'is true for what pattern %i, %s, matches',
    (_, __, secretPattern) => {
      let matches = 0;
      fc.assert(
        fc.property(matching(secretPattern), (text) => {
          secretPattern.pattern.lastIndex = 0;
          if (!secretPattern.pattern.test(text)) return;
          matches += 1;
          const list = LISTS.findIndex((patterns) => patterns.includes(secretPattern));
          expect(detectors[2 + list]?.mayFind(text)).toBe(true);
        }),
      );
      expect(matches).toBeGreaterThan(0);
    },
  );

  it.each(samples.map((sample) => [sample]))('is true for the sample %#', (sample) => {
    expect(detectors.some(({ mayFind }) => mayFind(sample))).toBe(true);
  });

  it('is false for a sentence without a credential', () => {
    for (const text of [
      'The oven came on Monday, after two calls with Miller Brothers.',
      'Budget 2026',
      '会议在周五',
    ])
      expect(detectors.map(({ mayFind }) => mayFind(text))).toEqual(detectors.map(() => false));
  });
});
