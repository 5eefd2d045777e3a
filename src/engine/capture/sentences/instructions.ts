const INSTRUCTIONS: readonly RegExp[] = [
  // Said to the agent.
  /^(?:please |just |bitte )?(?:always|never|do not|don't|ignore|obey|follow|run|execute|send|pay|transfer|forward|delete|remove|upload|download|share|reveal|tell|show|give|use|answer|reply|respond|write|call|open|make|set|add|approve|grant|allow|let|trust|treat|install|act|pretend|stop|start|buy|order|book|comply|accept|immer|nie|niemals|ignoriere?|gehorche?|befolge?|führe?|sende?|zahle?|überweise?|lösche?|antworte?|nutze?|verwende?)(?!\p{L})/iu,
  /(?<!\p{L})(?:you|your|du|dir|dich|deine?[nmrs]?|tu|vous|usted|je moet|jij|u moet|você) (?:(?:always|never|immer|nie) )?(?:must|should|shall|have to|need to|are to|may|can|owe|obey|ignore|are (?:allowed|now|required)|will|musst|sollst|darfst|kannst|schuldest|dois|devez|debe|moet|deve)(?!\p{L})/iu,
  /(?<!\p{L})(?:agents?|assistants?|assistent\p{L}*|agente|bot|ai|ki|system|model|exec|prompts?|instructions?|anweisung\p{L}*|commands?|befehle?|obeys?|ignor(?:e|es|a|iere?)|disregard|gehorch\p{L}*|override|obéi\p{L}*|obedec\p{L}*|obbedi\p{L}*|gehoorza\p{L}*|negeer|debes|tienes que|devi|deves|dois)(?!\p{L})/iu,
  /(?<!\p{L})without (?:\p{L}+ )?(?:asking|confirm\p{L}*|checking|permission|approval|telling|question)|(?<!\p{L})(?:ohne (?:zu fragen|rückfrage|nachfrage|bestätigung)|sans (?:demander|confirmation)|sin (?:preguntar|confirmar)|senza (?:chiedere|conferma)|zonder (?:te )?vragen|sem (?:perguntar|confirmar))/iu,
  /(?<!\p{L})(?:must|has to|have to|should|shall|müssen|muss|sollen) (?:always |never |only |immer |nie )?(?:be |go to |pay |send |use |transfer |bezahlt|gesendet|überwiesen)/iu,
  /(?<!\p{L})(?:allowed|permitted|authori[sz]ed|entitled) to(?!\p{L})|(?<!\p{L})wants? you to(?!\p{L})|(?<!\p{L})(?:invoices?|bills?|payments?|transfers?|money) (?:go|goes|is|are|must|always)(?!\p{L})/iu,
  // No words of a fact.
  /[<>{}]|(?<!\p{L})(?:rm -|sudo|curl|exec|bash)(?!\p{L})/iu,
];

/** Whether what is to be remembered tells the agent what to do. */
export function isInstruction(fact: string): boolean {
  return INSTRUCTIONS.some((instruction) => instruction.test(fact));
}
