import { detectSecrets } from '../../../secrets/detect.ts';
import { maskPersonalNumbers } from '../../../secrets/personal-numbers.ts';
import { foldedText } from './requests.ts';

/** Whole words of any of the alternatives, in either case. */
function words(...alternatives: readonly string[]): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${alternatives.join('|')})(?!\\p{L})`, 'iu');
}

/** What names a password, a PIN or a key in the languages of requests. A sentence with one is never stored, with a value or without. */
const SECRET_WORDS = words(
  'p[. -]?i[. -]?n(?:[. -]?(?:code|num(?:ber|mer)))?s?',
  'puk|pass|pwd?|mdp|secrets?|tokens?|credentials|log(?:s|ged|ging)?[ -]?ins?|user ?names?|mnemonics?',
  'pa(?:ss?|ß)[ -]?(?:word|wort|wört|wd|code|phrase|key)\\p{L}*',
  '(?:kenn|losungs|geheim)w[oö]rt\\p{L}*|geheim(?:zahl|nummer|code)\\p{L}*|(?:zugangs|anmelde)\\p{L}+',
  'cv[vc]\\d?|security code|sicherheitscode|prüfziffer|ssn|(?:two|three|four|last|first|zwei|drei|vier|letzten|[234]) (?:digits|ziffern)',
  '(?:api|access|secret|private|wi-?fi|wlan|network|wireless|router)[ -]?(?:keys?|schlüssel)',
  '(?:seed|recovery|backup|rescue|wallet|bitcoin|crypto|ledger)[ -]?(?:words?|phrases?|codes?|keys?)|wiederherstellungs\\p{L}+|herstel(?:code|zin)\\p{L}*',
  'keys? (?:for|to|of) (?:the |my |our )?(?:api|wi-?fi|wlan|network|router|server|account|wallet)|(?<!(?:zip|area|dress|source|country|postal) )codes? (?:is|are|ist|lautet|heißt)',
  'mots? de (?:passe|récupération)|phrase de récupération|code (?:pin|secret|confidentiel)|identifiants',
  'contrase[ñn]as?|claves?|(?:frase|palabras?|palavras?|parole) (?:semilla|seme|de recuperaci[oó]n|de recuperação|secretas?)|credenciales',
  "parola (?:d'ordine|chiave)|codice (?:pin|segreto)|credenziali",
  'wachtwoord\\p{L}*|toegangs\\p{L}+|inloggegevens|senhas?|palavra-passe|credenciais',
  'has[lł][oa]|парол\\p{L}*|lösenord\\p{L}*',
);
const OTHER_SCRIPTS = /密码|密碼|パスワード|비밀번호/u;

/** Names of what a number belongs to: cards, accounts, people. */
const NUMBERED = words(
  '(?:\\p{L}{2,20}[ -]?)?(?:cards?|karten?|kaart)(?:n?nummer)?|visa|mastercard|amex|girocard|maestro|bankpas|bancomat|bancontact',
  'carte|tarjeta|carta|ban[kc]|banco|banca|banque|cart[aã]o|iban|bic|bban|(?:sort|bank) code|routing number|social security|social',
  '\\p{L}{0,12}(?:accounts?|konto|kontonummer|rekening)|compte|cuenta|conto|conta',
  "sozialversicherungs\\p{L}+|steuer\\p{L}*|tax|passport|(?:reise)?pass(?:nummer)?|driving|licen[cs]e|führerschein|\\p{L}{0,10}ausweis\\p{L}*|dni|nif|bsn|codice fiscale|carta d'identità",
);
/** What can be opened, and words of opening. */
const LOCKS = words(
  'safe|vault|lockers?|\\p{L}{0,10}locks?|lockbox|alarm[ae]?|allarme|burglar|gate|door|garage|entrance|intercom|key ?box|tresor|schließfach|\\p{L}{0,8}schloss|\\p{L}{0,6}tür|tor|eingang|coffre|porte|digicode|caja fuerte|puerta|cerradura|cassaforte|porta|cancello|kluis|deur|slot|cofre|portão|opens?|unlocks?|unlocked|entsperr\\p{L}*|öffnet|combo|combination|kombination|combinaison|combinación|combinazione|combinatie|combinação',
  '(?:smart|i)?phone(?! ?n(?:umber|o\\b))|handy|sim|atm|cash machine|geldautomat\\p{L}*|cajero|type|enter|tippe',
);
/** "code", except of a place, a program, or clothes. */
const CODE_WORD = words(
  '(?!(?:post|bar|source|quell|area|zip|dress|qr|morse|country)-?code)(?<!(?:zip|area|dress|source|country|qr|morse) )\\p{L}{0,20}codes?(?! posta)',
  '(?:c[oó]digos?|codic[ei])(?! posta)',
);
/** A number that is no amount: `4482#`, `81-17-44`. */
const CODE =
  /(?<![\p{L}\d€$£.,])[#*]?(?:\d{3,8}|\d{1,3}(?:[ -]\d{1,3}){2,5}|\d{1,2} (?:left|right|links|rechts) \d{1,2})[#*]?(?![\d.,:]?\d)(?! ?(?:m|km|cm|mm|kg|g|€|%|eur|euros?|dollars?|pounds?|chf|kr|per|a|pro|liters?|watts?|kwh|years?|jahre?|days?|tage)(?![\p{L}]))/iu;
/** Two or more numbers in words. */
const DIGIT =
  '(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\p{L}{3,6}teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\\p{L}{3,16}(?:zehn|zig|ßig)|deux|trois|quatre|cinq|sept|huit|neuf|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|tre|quattro|cinque|sette|otto|nove|twee|drie|vijf|zes|zeven|negen|dois|três|quatro|sete|oito)';
const SPOKEN = words(`${DIGIT}(?:[ ,-]{1,2}${DIGIT})+`);
/** What a password may be for, and a word that looks like one: letters and digits together. */
const ACCOUNTS =
  /(?<![\p{L}])(?:wi-?fi|wlan|network|router|account|konto|netflix|spotify|paypal|amazon|google|apple id|bank(?:ing)?|e-?mail|server|laptop|computer|zugang|compte|cuenta|conto|conta|rekening)(?![\p{L}])/iu;
const MIXED_WORD = /(?<!\S)(?=\S{0,40}\d)(?=\S{0,40}\p{L}{3})[^\s@:/]{7,40}(?!\S)/u;
const SERVICE_IS = words(
  '(?:my|our|meine?|unsere?) (?:wi-?fi|wlan|router|netflix|spotify|paypal|amazon|google|apple id|icloud) (?:is|are|ist|lautet|heißt)',
);
/** A number of which another sentence says what it is. */
const BARE_NUMBER = /^(?:\p{L}{1,4}['’ ]{1,2}){0,3}[\d -]{3,12}[.!]?$/u;
const REFERS = words("^(?:it|it's|this|that|es|das|ça|c'est|esto|es|questo|è|het|isso|é)");

/** As many digits as a card or an account has, with a wrong checksum too. */
const LONG_NUMBER = /\d(?:[^\p{L}\d]{0,4}\d){11}/u;
/** A day, with or without a time. It is no part of a number. */
const DAY = /(?<!\d)(?:19|20)\d\d-[01]\d-[0-3]\d(?:[ T]{1,3}[0-2]?\d:[0-5]\d(?::[0-5]\d)?)?(?!\d)/g;
const SIX_DIGITS = /\d(?:[^\d]{0,12}\d){5}/u;

/** Whether a sentence names something of which the value is a secret. Another sentence may state that. */
export function namesSecret(text: string): boolean {
  const { plain, folded } = foldedText(text);
  return [plain, folded].some(
    (form) =>
      SECRET_WORDS.test(form) || OTHER_SCRIPTS.test(form) || NUMBERED.test(form) || CODE_WORD.test(form),
  );
}

/** Whether a sentence may state the secret that another sentence names. */
export function mayBeValue(text: string): boolean {
  const { plain } = foldedText(text);
  return /\d/.test(plain) || SPOKEN.test(plain) || REFERS.test(plain);
}

/** Whether a sentence has a credential or a number of a card, an account, a person or a lock, or names a PIN or a password. */
export async function hasSecret(text: string): Promise<boolean> {
  const { plain, folded } = foldedText(text);
  const hasCode = CODE.test(plain) || SPOKEN.test(plain);
  return (
    [plain, folded].some((form) => SECRET_WORDS.test(form) || OTHER_SCRIPTS.test(form)) ||
    (NUMBERED.test(folded) && (CODE.test(plain) || SIX_DIGITS.test(plain))) ||
    (CODE_WORD.test(folded) && (hasCode || LOCKS.test(folded) || NUMBERED.test(folded))) ||
    (LOCKS.test(folded) && hasCode) ||
    (ACCOUNTS.test(plain) && MIXED_WORD.test(plain)) ||
    SERVICE_IS.test(folded) ||
    BARE_NUMBER.test(plain) ||
    LONG_NUMBER.test(plain.replaceAll(DAY, ' x ')) ||
    maskPersonalNumbers(plain).kinds.length > 0 ||
    (await detectSecrets(text)).length > 0
  );
}
