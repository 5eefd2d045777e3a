import type { Predicate } from './predicate.ts';

const NAME = "(?-i:\\p{Lu}[\\p{L}'.-]*(?: (?:van|von|de|der|di|la|le))*(?: \\p{Lu}[\\p{L}'.-]*){0,3})";
const PLACE = `(?:the )?${NAME}(?:,? (?:${NAME}|in ${NAME}))?`;
const NUMBER = '(?:an?|one|two|three|four|five|six|seven|eight|\\d{1,2}|some|several|twin)';
/** At most three words before a noun. */
const ADJECTIVES = "(?:(?!(?:with|of|for|and|to|from|by|in|on|at)\\b|[\\p{L}-]+'s )[\\p{L}'-]+ ){0,3}";
const DWELLING =
  '(?:flat|apartment|house|home|village|town|city|suburbs?|countryside|farm|farmhouse|studio|cottage|condo|bungalow|dorm|floor|centre|center|building|outskirts|edge|coast|island|houseboat|caravan|loft)';
const RELATIVE =
  '(?:daughters?|sons?|kids?|child(?:ren)?|twins?|brothers?|sisters?|siblings?|wife|husband|partner|parents|grandparents|in-laws|girlfriend|boyfriend|fianc[ée]e?|mother|mom|mum|father|dad|grand(?:mother|father|son|daughter|child|children|kids?|ma|pa)|nieces?|nephews?|aunts?|uncles?|cousins?|step(?:son|daughter|mother|father|brother|sister)s?)';
/** Of whom a person has one, so that another name replaces the former. */
const ONLY_RELATIVE = '(?:wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad)';
const PET =
  '(?:cats?|dogs?|pupp(?:y|ies)|kittens?|hamsters?|rabbits?|guinea pigs?|tortoises?|turtles?|parrots?|budgies?|horses?|pon(?:y|ies)|goldfish|fish|snakes?|lizards?|geckos?|ferrets?|chickens?|hens?|goats?|bees|canar(?:y|ies)|greyhounds?|labradors?|retrievers?|terriers?|poodles?|dachshunds?)';
const PROFESSION =
  '(?:teacher|nurse|doctor|gp|surgeon|engineer|developer|programmer|designer|lawyer|solicitor|barrister|accountant|architect|carpenter|plumber|electrician|baker|butcher|chef|cook|waiter|waitress|driver|pilot|farmer|gardener|librarian|writer|author|journalist|editor|translator|photographer|musician|painter|artist|actor|actress|student|researcher|scientist|professor|lecturer|tutor|consultant|manager|director|freelancer|contractor|mechanic|hairdresser|barber|tailor|jeweller|builder|bricklayer|roofer|firefighter|paramedic|police officer|soldier|postman|cleaner|cashier|clerk|secretary|assistant|analyst|salesman|saleswoman|realtor|banker|trader|entrepreneur|founder|retiree|pensioner|vet|veterinarian|midwife|social worker|civil servant|web designer|product owner|[\\p{L}]{4,}(?:ologist|therapist|ician|keeper|smith|maker|wright))';
const COMPANY =
  '(?:bakery|shop|store|company|business|restaurant|farm|caf[ée]|studio|practice|agency|firm|startup|start-up|salon|garage|hotel|guesthouse|nursery|school|workshop|blog|podcast|pub|bar|clinic|gallery|bookshop|vineyard)';
const INDUSTRY =
  '(?:marketing|finance|education|healthcare|hospitality|retail|logistics|construction|publishing|insurance|banking|tech|sales|procurement|human resources|HR|IT)';
const ALLERGEN =
  '(?:(?:tree |pea|hazel|wal|cashew )?nuts?|peanuts|hazelnuts|walnuts|almonds|cashews|eggs?|milk|dairy|lactose|gluten|wheat|soya?|sesame|mustard|celery|shellfish|seafood|fish|shrimps?|prawns|crab|strawberr(?:y|ies)|kiwis?|apples?|bananas?|tomatoes|cats?|dogs?|horses?|cat hair|dog hair|animal hair|dust(?: mites)?|mou?ld|pollen|birch(?: pollen)?|grass(?: pollen)?|ragweed|bees?|wasps?|bee stings|wasp stings|insect bites|latex|nickel|wool|perfume|ibuprofen|aspirin|codeine|iodine|sulfa drugs|antibiotics|[\\p{L}]{2,}(?:cillin|mycin|oxacin))';
const SOFTWARE =
  '(?:linux|ubuntu|debian|windows|mac(?:os)?|ios|android|excel|slack|teams|zoom|jira|notion|outlook|vim|neovim|emacs|git(?:hub|lab)?|docker|kubernetes|postgres(?:ql)?|mysql|sqlite|mongodb|redis|python|typescript|javascript|java|rust|go|react|vue|angular|svelte|aws|azure|gcp|google|chrome|firefox|signal|whatsapp|telegram|slide|chapter|step|page|settings|version|plan)';
const CONDITION =
  '(?:asthma|(?:type (?:1|2|one|two) )?diabetes|celiac disease|coeliac disease|epilepsy|hay fever|migraines?|adhd|autism|arthritis|tinnitus|dyslexia|psoriasis|eczema|high blood pressure)';
const DIET =
  '(?:a )?(?:strict |life-?long )?(?:vegan|vegetarian|pescatarian|pescetarian|diabetic|coeliac|celiac|colou?r-?blind|left-handed|right-handed|dyslexic|autistic|deaf|(?:lactose|gluten|fructose|histamine)[- ]intolerant)';
/** What an object must not be: it would refer to something else in the conversation. */
const NOT_ANAPHORIC =
  '(?!(?:it|this|that|these|those|you|your|him|her|them|yours|when|how|where|what|who|why|the|my|to see|to know|every|all|if)\\b)(?!.*\\b(?:ones?|version|option|variant|draft|approach|idea|suggestion|latter|former)\\b)';
/** Names, or more of the same. */
const LIST = `(?:,? (?:named|called) .{2,60}|, .{2,60}| and (?:${NUMBER} )?.{3,40}| (?:in|from) ${NAME})?`;
const I = '(?:i|we)';
const AM = "(?:i'm|i am)";

/** Lasting statements of the speaker in English. */
export const ENGLISH: readonly Predicate[] = [
  [`my (?:full )?name is ${NAME}(?: now)?`, 'name'],
  [
    `(?:please |just |you can |everyone calls me |people )?(?:call me )(?!(?:mon|tues|wednes|thurs|fri|satur|sun)day|back|later|maybe|crazy|when)${NAME}`,
    'nickname',
  ],
  [`everyone calls me ${NAME}`, 'nickname'],
  [`${AM} called ${NAME}(?: by .{1,30})?`, 'nickname'],
  [
    `(?:i|we) (?:now )?live (?:(?:now )?in|at|on|near|outside|by) (?:(?!${SOFTWARE}\\b)${PLACE}|an? ${ADJECTIVES}${DWELLING}\\b.{0,40}|the ${ADJECTIVES}${DWELLING}\\b.{0,40}|\\d{1,4}[a-z]? ${NAME}.{0,40})(?: now)?(?: with .{1,40})?`,
    'home',
  ],
  [`${I} live (?:alone|with my .{1,40})`],
  [`(?:${AM}|we're|we are) based in ${PLACE}(?: now)?`, 'home'],
  [`(?:i|we)(?:'ve| have)? (?:just )?moved to (?!${SOFTWARE}\\b)${PLACE}(?: now)?`, 'home'],
  [`(?:my|our) (?:home )?address is .{5,80}`, 'home'],
  [`${AM} (?:originally )?from ${PLACE}`, 'origin'],
  [
    `i (?:now )?work (?:(?:now )?(?:for|at|with|in)) (?:${PLACE}|(?:an?|the) .{3,50}|${INDUSTRY})(?: now)?(?: as an? .{3,40})?`,
    'employer',
  ],
  [`i (?:now )?work as an? .{3,50}?(?: now)?`, 'job'],
  [
    `${AM} an? (?!(?:terrible|bad|good|great|lousy|awful|slow|fast|quick|poor|big|huge|real|bit)\\b)${ADJECTIVES}${PROFESSION}(?: (?:at|for|in|with|of|by) .{2,40})?(?: now)?`,
    'profession',
  ],
  [
    `my (?:job|profession|occupation|job title) is (?:an? ${ADJECTIVES}${PROFESSION}|(?:head|director|chief|manager|deputy) .{2,50})`,
    'job',
  ],
  [`(?:i|we) (?:run|own|manage) (?:an?|my own|our own|the|two|three) ${ADJECTIVES}${COMPANY}\\b.{0,50}`],
  [`(?:i|we) have ${NUMBER} ${ADJECTIVES}${RELATIVE}${LIST}`],
  [`my (?<of>${ONLY_RELATIVE})(?: is (?:called|named)|'s name is) .{2,60}`, 'name of'],
  [
    `(?:my|our) ${ADJECTIVES}(?:${RELATIVE}|${PET})(?: (?:is|are) (?:called|named)|(?:'s|s') names? (?:is|are)) .{2,60}`,
  ],
  [
    `${AM} (?:happily )?(?:married(?: to ${NAME})?|single|divorced|widowed|engaged to ${NAME})`,
    'marital status',
  ],
  [`(?:i|we) (?:have|own|keep) ${NUMBER} ${ADJECTIVES}${PET}${LIST}`],
  [
    `(?:${AM}|we're|we are) (?:very |highly |severely |mildly |badly )?allergic to ${ALLERGEN}(?:(?:,| and|, and) ${ALLERGEN}){0,5}`,
  ],
  [`i have an? ${ADJECTIVES}(?:allergy|intolerance)(?: to .{3,40})?`],
  [`i (?:have|suffer from) ${CONDITION}`],
  [`(?:${AM}|we're|we are|my (?:wife|husband|partner) and i are) ${DIET}s?`],
  [
    `i (?:much |really |usually |generally )?prefer (?:the [\\p{L}-]+ (?:to|over) the [\\p{L}-]+|${NOT_ANAPHORIC}(?!to )(?!.* (?:for the|here|instead|in this case)\\b)\\S+ .{2,80})`,
  ],
  [
    `i (?:really |absolutely )?(?:love|hate|dislike|like|enjoy) (?:${NOT_ANAPHORIC}(?!.* (?:for the|here|as an?)\\b).{3,60}|my (?:coffee|tea|steak|eggs|toast|food|pizza|pasta|porridge|beer|wine) .{3,30})`,
  ],
  [
    '(?:my|our) favou?rite (?<of>(?!(?:part|bit|line|thing|one|section|answer|example|option|version|feature|so far)\\b)[\\p{L} -]{3,30}?) (?:is|are) .{2,60}',
    'favourite',
  ],
  [`(?:i|we) speak (?-i:\\p{Lu})[\\p{L}, ]{3,60}(?: at home)?`],
  [
    `i (?:always|usually|mostly|only) (?:fly|drink|eat|use|take|buy|wear|pay|order|sleep|get up|wake up|work|travel|cook|write|read|book|sit) ${NOT_ANAPHORIC}.{3,60}`,
  ],
  [`i use ${NAME}(?:,? (?:and|with|for|on) .{2,40})?`],
  ['i (?:take|drink|have) my (?:coffee|tea) .{3,40}'],
  [`(?:i|we) (?:drive|ride|own) (?:an?|two) (?!hard bargain)${NOT_ANAPHORIC}.{3,50}`],
  [
    `(?:my|our) (?<of>car|bike|motorbike|van|camper|boat) is an? (?:[\\p{L}\\d-]+ ){0,2}${NAME}(?: .{1,20})?`,
    'kind of',
  ],
  [
    'my (?<of>(?:shoe|ring|dress|shirt|collar|hat|trouser) size|blood type|time ?zone|pronouns|birthday|star sign|mother tongue|native language) (?:is|are) (?:on |in )?(?:the )?(?=.{0,40}(?:[\\d/]|(?-i:\\p{Lu}))).{2,40}',
    'my',
  ],
  [
    "(?:we|i and .{3,20}|my (?:wife|husband|partner) and i)(?:'ve| have)? (?:decided|agreed) (?:to|on|that|in favou?r of) (?!(?:it|that|this|wait|go|order|stay|leave|skip|take a break|call|do (?:it|that|this)|be|keep going|continue|see)\\b)\\S+ \\S.{2,120}",
  ],
];

/** Other statements about the owner, which may be worth remembering. */
export const ENGLISH_PROPOSALS: readonly RegExp[] = [
  /\b(?:my|our) (?!(?:point|question|guess|idea|code|build|phone|battery|screen|browser|opinion|mistake|bad|message|computer|laptop|turn|problem|concern|understanding|previous|last|first|goal is)\b)(?:[\p{L}'-]+ ){1,5}(?:is|are|was born|has|have|lives?|works?|moved|starts|ends|expires|hates?|loves?|likes?|prefers?|wants?|needs|drives|speaks|studies|plays|can't|comes)\b/iu,
  /\b(?:i'm|i am|we're|we are) (?:\w+ )?(?:allergic|vegetarian|vegan|lactose|diabetic|left-handed|colou?r-?blind|based in|from|called|named|married|responsible for|staying (?:with|at|in)|living|retired|pregnant|planning to|moving to|going to (?:move|marry|retire|buy|sell)|learning)\b/iu,
  /\b(?:i|we) (?:\w+ )?(?:prefer|always|never|hate|dislike|love(?! (?:it|this|that|you|how|when|the way)\b)|live|work (?:at|for|as|from|in)|moved to|was born|were born|speak|used to|studied|quit|grew up|want to (?:learn|move|buy|retire|visit|become)|plan to|collect|drive|play the)\b/iu,
  /\b(?:i|we) (?:don't|do not|can't|cannot) (?:eat|drink|have|like|own|drive|speak|smoke|use|want|tolerate)\b/iu,
  /\b(?:we|i)(?:'ve| have)? (?:decided|agreed|chose|chosen|settled on|signed|bought|sold|booked|ordered|adopted|rented|hired|married)\b/iu,
  /\bi have (?:an? |two |three )(?:\w+ ){0,3}(?:allergy|brothers?|sisters?|sons?|daughters?|kids|cats?|dogs?)\b/iu,
  /^(?:I'm|I am) \p{Lu}|\b(?:I|[Ww]e) (?:might|may) be \p{L}+|\b(?:I'm|[Ww]e're|I am|[Ww]e are) (?:expecting|getting (?:married|divorced))\b/u,
  /\b(?:i|we) can't (?:swim|drive|cook|ski|ride|read|hear|see|stand|tolerate)\b|\bi had (?:my|an?) .{3,40} (?:removed|replaced|operated)\b/iu,
  /\b(?:is|are) mine\b|\bbelongs? to me\b|\bcall me \p{Lu}/u,
  /\bmy (?:favou?rite|name|birthday|job)\b/iu,
];
