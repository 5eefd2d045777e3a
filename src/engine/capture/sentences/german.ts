import type { Predicate } from './predicate.ts';

const NAME = "(?-i:\\p{Lu}[\\p{L}'.-]*(?: (?:van|von|de|zu))*(?: \\p{Lu}[\\p{L}'.-]*){0,3})";
const NUMBER = '(?:einen?|eine|ein|zwei|drei|vier|fünf|sechs|\\d{1,2})';
const ADJECTIVES = '(?:[\\p{L}-]+ ){0,2}';
const RELATIVE =
  '(?:töchter|tochter|söhne?|sohn|kind(?:er)?|zwillinge|brüder|bruder|schwestern?|geschwister|frau|mann|partner(?:in)?|freundin|verlobte[rn]?|mutter|mama|vater|papa|oma|opa|großmutter|großvater|enkel(?:in|kinder|söhne|töchter)?|nichten?|neffen?|tante|onkel|cousine?)';
/** Of whom a person has one, so that another name replaces the former. */
const ONLY_RELATIVE = '(?:frau|mann|partner(?:in)?|freundin|mutter|mama|vater|papa)';
const PET =
  '(?:katzen?|kater|hunde?|hündin|welpen?|hamster|kaninchen|meerschweinchen|schildkröten?|papagei(?:en)?|wellensittiche?|pferde?|ponys?|goldfische?|fische?|schlangen?|hühner|ziegen?|bienen|dackel|pudel|labrador)';
const DWELLING =
  '(?:wohnung|haus|reihenhaus|hochhaus|altbau|dorf|stadt|stock|land|bauernhof|wg|zimmer|dachgeschoss|erdgeschoss|vorort)';
const PROFESSION =
  '(?:\\p{L}{2,}(?:lehrer|ingenieur|entwickler|arbeiter|fahrer|verkäufer|wissenschaftler|meister|pfleger|helfer|berater|leiter|macher|schneider)(?:in)?|lehrer(?:in)?|(?:kranken)?pfleger(?:in)?|krankenschwester|arzt|ärztin|ingenieur(?:in)?|entwickler(?:in)?|programmierer(?:in)?|anwalt|anwältin|architekt(?:in)?|tischler(?:in)?|schreiner(?:in)?|elektriker(?:in)?|bäcker(?:in)?|koch|köchin|landwirt(?:in)?|gärtner(?:in)?|bibliothekar(?:in)?|journalist(?:in)?|übersetzer(?:in)?|fotograf(?:in)?|musiker(?:in)?|student(?:in)?|rentner(?:in)?|beamter|beamtin|hebamme|polizist(?:in)?|buchhalter(?:in)?|friseur(?:in)?|mechaniker(?:in)?|erzieher(?:in)?|selbstständig)';
const DIET =
  '(?:veganer(?:in)?|vegetarier(?:in)?|vegan|vegetarisch|diabetiker(?:in)?|laktoseintolerant|glutenintolerant|linkshänder(?:in)?|rechtshänder(?:in)?|farbenblind|legasthenisch|autistisch)';
const ALLERGEN =
  '(?:(?:erd|hasel|wal|cashew)?n[uü]ss(?:e|n)?|erdnüsse|mandeln|eier|milch|laktose|gluten|weizen|soja|sesam|senf|sellerie|meeresfrüchte|fisch|krebstiere|erdbeeren|kiwis?|äpfel|tomaten|katzen(?:haare)?|hunde(?:haare)?|pferde(?:haare)?|tierhaare|hausstaub(?:milben)?|staub|schimmel|pollen|birkenpollen|gräser(?:pollen)?|birken?|bienen(?:stiche)?|wespen(?:stiche)?|insektenstiche|latex|nickel|wolle|parfüm|ibuprofen|aspirin|jod|antibiotika|\\p{L}{2,}(?:cillin|zillin|mycin))';
const NOT_ANAPHORIC =
  '(?!(?:es|das|dies\\p{L}*|den|die|der|dich|dein\\p{L}*|ihn|sie|ihm|ihr|wie|wenn|dass|was|alle?s?|jene\\p{L}*)\\b)(?!.*\\b(?:variante|version|vorschlag|idee|option|entwurf)\\b)';

/** Lasting statements of the speaker in German. */
export const GERMAN: readonly Predicate[] = [
  [`mein (?:voller )?name ist ${NAME}`, 'name'],
  [`ich heiße (?:jetzt )?${NAME}`, 'name'],
  [`(?:bitte )?nenn(?:e|t)? mich (?:bitte )?${NAME}`, 'nickname'],
  [
    `(?:ich|wir) (?:wohne|wohnen|lebe|leben) (?:jetzt |mit .{3,30} |seit .{3,20} )?(?:in|auf|bei|am|im|an der|an) (?:(?:der |dem )?${NAME}(?:-${NAME})?|(?:einem|einer|der|dem|dritten|ersten|zweiten|vierten|fünften) ${ADJECTIVES}${DWELLING}\\b.{0,40}|(?:ersten|zweiten|dritten|vierten|fünften|sechsten) stock\\b.{0,40})(?: (?:in|bei|an) (?:der )?${NAME})?(?: \\d{1,4}\\p{L}?)?`,
    'home',
  ],
  [`(?:ich|wir) (?:bin|sind) (?:jetzt )?(?:nach|in die|in den) ${NAME} (?:um)?gezogen`, 'home'],
  [`ich komme aus ${NAME}`, 'origin'],
  [
    `ich arbeite (?:jetzt )?(?:(?:bei|für|beim) (?:(?:der|dem|einer|einem|einen|den|die) )?${ADJECTIVES}${NAME}(?: .{2,30})?|(?:in|an) (?:einem|einer|der) ${ADJECTIVES}\\p{L}*(?:büro|firma|kanzlei|klinik|krankenhaus|schule|universität|uni|werkstatt|agentur|bank|kita|praxis|behörde|bibliothek|apotheke)(?: .{2,30})?)`,
    'employer',
  ],
  [`ich arbeite (?:jetzt )?als [\\p{L} -]{3,50}`, 'job'],
  [`ich bin ${ADJECTIVES}${PROFESSION}(?: (?:an|bei|in|für|im|am) .{3,40})?(?: von beruf)?`, 'profession'],
  ['mein beruf ist .{3,50}', 'job'],
  [
    `(?:ich|wir) (?:habe|haben) ${NUMBER} ${ADJECTIVES}${RELATIVE}(?:,? (?:namens|die|der) .{2,60}|, .{2,60}|(?: und) .{2,40}| in ${NAME})?`,
  ],
  [`meine? (?<of>${ONLY_RELATIVE}) heißt .{2,60}`, 'name of'],
  [`(?:meine?|unsere?) ${ADJECTIVES}(?:${RELATIVE}|${PET}) (?:heißt|heißen) .{2,60}`],
  ['ich bin (?:glücklich )?(?:verheiratet|ledig|geschieden|verwitwet|verlobt)', 'marital status'],
  [
    `(?:ich|wir) (?:habe|haben) ${NUMBER} ${ADJECTIVES}${PET}(?:,? namens .{2,60}|, .{2,60}|(?: und) .{2,40}| in ${NAME})?`,
  ],
  [
    `(?:ich bin|wir sind) (?:stark |hoch|sehr |leicht )?allergisch (?:gegen|auf) ${ALLERGEN}(?:(?:,| und) ${ALLERGEN}){0,5}`,
  ],
  [
    'ich habe (?:eine|ein) (?:[\\p{L}-]{3,25}(?:allergie|intoleranz|unverträglichkeit)|allergie gegen .{3,40})',
  ],
  [
    'ich (?:habe|leide an|leide unter) (?:asthma|diabetes(?: typ [12])?|zöliakie|epilepsie|heuschnupfen|migräne|adhs|neurodermitis|bluthochdruck)',
  ],
  [`(?:ich bin|wir sind) (?:strenge[r]? |überzeugte[r]? )?${DIET}(?:n|nen)?`],
  [`ich (?:bevorzuge|mag|liebe|hasse|verabscheue) ${NOT_ANAPHORIC}.{3,80}`],
  [
    `ich (?:trinke|esse|reise|fliege|koche|lese|arbeite|höre|schlafe|fahre|nehme|spiele|trage|zahle) (?:am liebsten|immer|meistens|lieber|grundsätzlich|nur) ${NOT_ANAPHORIC}.{3,60}`,
  ],
  ['(?:meine?|unsere?) (?<of>lieblings[\\p{L}-]{2,25}) (?:ist|sind|heißt) .{2,60}', 'favourite'],
  ['(?:ich spreche|wir sprechen) (?-i:\\p{Lu})[\\p{L}, ]{3,60}'],
  ['mein (?<of>auto|fahrrad|motorrad) ist (?:ein|eine) .{3,50}', 'kind of'],
  ['ich habe am .{3,20} geburtstag', 'birthday'],
  ['mein geburtstag ist .{3,30}', 'birthday'],
  ['meine? (?<of>schuhgröße|kleidergröße|blutgruppe|muttersprache|ringgröße) ist .{2,40}', 'my'],
  ['wir haben uns (?:für|auf) .{3,100} (?:entschieden|geeinigt)'],
  ['wir haben (?:beschlossen|entschieden|vereinbart|ausgemacht), .{8,140}'],
];

/** Other statements about the owner, which may be worth remembering. */
export const GERMAN_PROPOSALS: readonly RegExp[] = [
  /\b(?:meine?|unsere?) (?:[\p{L}-]+ ){1,5}(?:ist|sind|heißt|heißen|wohnt|wohnen|arbeitet|arbeiten|beginnt|endet|hat|haben|mag|liebt|hasst|spricht|fährt|will|braucht)\b/iu,
  /\bich (?:bin (?:\p{L}+ )?(?:allergisch|Vegetarier|Veganer|aus|in \p{L}+ geboren|verheiratet)|heiße|wohne|arbeite (?:bei|als|für|in)|bevorzuge|hasse|mag|liebe|spreche|sammle|lerne)\b/iu,
  /\b(?:ich|wir) (?:esse|essen|trinke|trinken|rauche|mag|habe|haben|vertrage) (?:\p{L}+ )?(?:kein|keine|keinen|nie|nicht)\b/iu,
  /\b(?:wir|ich) (?:haben?|habe) (?:uns (?:für|gegen|auf)\b|.{1,60}\b(?:entschieden|beschlossen|vereinbart|gekauft|verkauft|gebucht|bestellt|gemietet|unterschrieben|studiert|gelernt)\b)/iu,
  /\b(?:ich|wir) (?:will|wollen|möchte|möchten|werde|werden) .{1,60}\b(?:ziehen|umziehen|lernen|kaufen|heiraten|verkaufen)\b/iu,
];
