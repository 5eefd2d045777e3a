import { caseless } from './requests.ts';

const NAME = "(?-i:\\p{Lu}[\\p{L}'.-]*(?: (?:van|von|de|der|di|la|le|zu))*(?: \\p{Lu}[\\p{L}'.-]*){0,3})";
const I_AM = "(?:i'm|i am|we're|we are)";
/** Of whom a person has one, so that another name replaces the former. */
const ONLY_RELATIVE = '(?<of>wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad)';
const EINZIGE = '(?<of>frau|mann|partner(?:in)?|freundin|mutter|mama|vater|papa)';
const PLACE = `(?:in|at|near|outside|bei|auf) (?:the |der |dem )?(?:${NAME}|\\d).{0,80}`;

/**
 * Statements in English and German about what has one value at a time: a later one with the same subject replaces the former. The group
 * `of` is a part of the subject. After "dass", the verb is the last word.
 */
const SUBJECTS: readonly (readonly [pattern: RegExp, subject: string])[] = (
  [
    [`my (?:full )?name is ${NAME}`, 'name'],
    [
      `mein (?:voller )?name ist ${NAME}|mein (?:voller )?name ${NAME} ist|ich heiße ${NAME}|ich ${NAME} heiße`,
      'name',
    ],
    [`(?:everyone calls me|i'm called|i am called|alle nennen mich) ${NAME}`, 'nickname'],
    [
      `(?:i|we) live ${PLACE}|${I_AM} based in ${NAME}|(?:i|we)(?:'ve| have)? moved to (?:the )?${NAME}`,
      'home',
    ],
    ['(?:my|our) (?:home )?address is .{5,80}|(?:meine|unsere) adresse (?:ist .{5,80}|.{5,80} ist)', 'home'],
    [`(?:ich|wir) (?:wohnen?|leben?) ${PLACE}|(?:ich|wir) ${PLACE} (?:wohnen?|leben?)`, 'home'],
    [`(?:ich|wir) (?:(?:bin|sind) )?(?:nach|in die|in den) ${NAME} (?:um)?gezogen(?: bin| sind)?`, 'home'],
    [`i(?:'m| am) (?:originally )?from ${NAME}|ich (?:komme aus ${NAME}|aus ${NAME} komme)`, 'origin'],
    [
      `i work (?:for|at|with) .{2,80}|ich (?:arbeite (?:bei|für|beim) .{2,60}|(?:bei|für|beim) .{2,60} arbeite)`,
      'employer',
    ],
    ['i work as an? .{3,50}|ich (?:arbeite als .{3,50}|als .{3,50} arbeite)', 'job'],
    ['my (?:job|profession|occupation|job title) is .{3,60}|mein beruf (?:ist .{3,50}|.{3,50} ist)', 'job'],
    [`my ${ONLY_RELATIVE}(?: is (?:called|named)|'s name is) .{2,60}`, 'name of'],
    [`meine? ${EINZIGE} (?:heißt .{2,60}|.{2,60} heißt)`, 'name of'],
    [
      `i(?:'m| am) (?:happily )?(?:married|single|divorced|widowed|engaged)(?: to ${NAME})?`,
      'marital status',
    ],
    [
      'ich (?:bin )?(?:glücklich )?(?:verheiratet|ledig|geschieden|verwitwet|verlobt)(?: bin)?',
      'marital status',
    ],
    ['(?:my|our) favou?rite (?<of>[\\p{L} -]{3,30}?) (?:is|are) .{2,60}', 'favourite'],
    [
      '(?:meine?|unsere?) (?<of>lieblings[\\p{L}-]{2,25}) (?:(?:ist|sind|heißt) .{2,60}|.{2,60} (?:ist|sind|heißt))',
      'favourite',
    ],
    ['(?:my|our) (?<of>car|bike|motorbike|van|camper|boat) is an? .{2,50}', 'kind of'],
    ['mein (?<of>auto|fahrrad|motorrad) (?:ist ein .{2,50}|ein .{2,50} ist)', 'kind of'],
    [
      'my (?<of>(?:shoe|ring|dress|shirt) size|blood type|time ?zone|pronouns|birthday|mother tongue|native language) (?:is|are) .{2,40}',
      'my',
    ],
    [
      'meine? (?<of>schuhgröße|kleidergröße|ringgröße|blutgruppe|muttersprache|geburtstag) (?:ist .{2,40}|.{2,40} ist)',
      'my',
    ],
  ] as const
).map(([pattern, subject]) => [caseless(`^(?:${pattern})$`), subject]);

/** Words that change nothing about what a statement is about. */
const ADVERB =
  /(?<!\p{L})(?:now|just|actually|from now on|also|jetzt|nun|seit kurzem|ab jetzt|übrigens)(?!\p{L}),? ?/giu;

/** What a statement is about, if that has one value at a time: `home`, `name of wife`. */
export function subjectOf(text: string): string | null {
  const core = text
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(ADVERB, '')
    .replace(/[.! ]+$/, '');
  for (const [pattern, subject] of SUBJECTS) {
    const match = pattern.exec(core);
    if (match === null) continue;
    const of = match.groups?.['of'];
    return of === undefined ? subject : `${subject} ${of.toLowerCase()}`;
  }
  return null;
}
