import { detectSecrets } from '../../../secrets/detect.ts';
import { maskPersonalNumbers } from '../../../secrets/personal-numbers.ts';

/** Names of secrets in the languages of requests. A sentence that has one and states something is never stored. */
const SECRET_WORDS =
  /(?<![\p{L}])(?:pin(?:code|nummer)?s?|puk|pass(?:word|wort|code|phrase)s?|passwörter|kennwort|kennwörter|geheimzahl|geheimnummer|cvv|cvc|security code|sicherheitscode|prüfziffer|(?:debit|credit|bank|visa|master|kredit|ec|giro)[ -]?(?:card|karte)(?:n?nummer)?|card (?:number|no)|kartennummer|kontonummer|account number|routing number|iban|social security|ssn|sozialversicherungsnummer|steuer-?id|passport number|(?:reise)?passnummer|ausweisnummer|log-?ins?|credentials|user ?names?|zugangsdaten|anmeldedaten|identifiants|credenziali|inloggegevens|credenciales|credenciais|api[- _]?keys?|access keys?|secret keys?|private keys?|token|seed phrase|recovery (?:code|key|phrase)s?|(?:alarm|door|gate|safe|entry|lock|unlock|garage|key ?box|tür|haustür|tresor|safe|alarm|zugangs|tor)[- ]?code|code (?:of|for|to|vom|von|für|zum) (?:the|my|our|den|dem|das|der|die|unseren|meinen)? ?(?:\p{L}+ )?(?:safe|door|gate|alarm|locker|lock|garage|phone|tresor|tür|haustür|garage|handy)|combination|mot de passe|code (?:pin|secret|confidentiel)|carte bancaire|numéro de carte|contraseña|clave|tarjeta de crédito|parola d'ordine|carta di credito|codice (?:pin|segreto)|wachtwoord|creditcard|senha|palavra-passe|cartão de crédito)(?![\p{L}])/iu;
/** Where a value may follow a name. */
const STATED =
  /\d|[:=]|(?<![\p{L}'])(?:is|are|ist|sind|lautet|lauten|est|es|è|é|são|son|sono|luidt|zero|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun)(?![\p{L}])/iu;
/** What opens with a number. */
const LOCKS =
  /(?<![\p{L}])(?:safe|vault|locker|lock(?:box)?|padlock|alarm|gate|door|garage|entrance|intercom|key ?box|tresor|schließfach|schloss|tür|haustür|tor|eingang|coffre|porte|digicode|caja fuerte|puerta|cerradura|cassaforte|porta|cancello|kluis|deur|slot|cofre|portão|unlocks?|unlocked|four digits|last digits|entsperr\p{L}*)(?![\p{L}])/iu;
/** A number that is no amount: `4482#`, `81-17-44`. */
const CODE =
  /(?<![\p{L}\d€$£.,])[#*]?(?:\d{3,8}|\d{1,3}(?:[ -]\d{1,3}){2,5})[#*]?(?![\d.,:]?\d)(?! ?(?:m|km|cm|mm|kg|g|€|%|eur|euros?|dollars?|pounds?|chf|kr|per|a|pro|liters?|watts?|kwh|years?|jahre?|days?|tage)(?![\p{L}]))/iu;
/** What a password may be for, and a word that looks like one: letters and digits together. */
const ACCOUNTS =
  /(?<![\p{L}])(?:wi-?fi|wlan|network|router|account|konto|netflix|spotify|paypal|amazon|google|apple id|bank(?:ing)?|e-?mail|server|laptop|computer|zugang|compte|cuenta|conto|conta|rekening)(?![\p{L}])/iu;
const MIXED_WORD = /(?<!\S)(?=\S{0,40}\d)(?=\S{0,40}\p{L}{3})[^\s@:/]{7,40}(?!\S)/u;

/** As many digits as a card or an account has, with a wrong checksum too. */
const LONG_NUMBER = /\d(?:[ .-]?\d){11}/;

/** Whether a sentence has a credential, a number of a card, an account or a person, or says what a PIN or a password is. */
export async function hasSecret(text: string): Promise<boolean> {
  const plain = text.normalize('NFKC');
  return (
    (SECRET_WORDS.test(plain) && STATED.test(plain)) ||
    (LOCKS.test(plain) && CODE.test(plain)) ||
    (ACCOUNTS.test(plain) && MIXED_WORD.test(plain)) ||
    LONG_NUMBER.test(plain) ||
    maskPersonalNumbers(text).kinds.length > 0 ||
    (await detectSecrets(text)).length > 0
  );
}
