/**
 * English function words, folded and without apostrophes. They do not indicate a topic and occur in most passages:
 * with 100,000 passages, a query of only these words took 120 ms instead of 5.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are arent as at be because been before being below
  between both but by can cannot cant could couldnt did didnt do does doesnt doing dont down during each few for
  from further had hadnt has hasnt have havent having he hed hell her here heres hers herself hes him himself his
  how hows i id if ill im in into is isnt it its itself ive just lets let me more most mustnt my myself no nor not
  of off on once only or other ought our ours ourselves out over own same shant she shed shes should shouldnt so
  some such than that thats the their theirs them themselves then there theres these they theyd theyll theyre
  theyve this those through to too under until up us very was wasnt we wed well were werent weve what whats when
  whens where wheres which while who whos whom why whys will with wont would wouldnt you youd youll your youre
  yours yourself yourselves youve`.split(/\s+/),
);

export function isStopWord(surface: string): boolean {
  return STOP_WORDS.has(surface);
}
