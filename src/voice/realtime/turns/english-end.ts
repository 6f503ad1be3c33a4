import type { LastWords } from './words.ts'
import type { TurnEnd } from './words-of-end.ts'

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

const opening = set(`
  and or but so because if when while although though unless until since than as that which who whom whose where the a an this these those my your his her its our their some any
  every each no to of in on at by for from with without about into onto over under between through during before after against around near like is are was were be been am i'm
  he's she's it's we're they're do does did have has had will would can could should may might must shall want wants need needs think thinks guess mean say says said tell ask know
  um uh er erm hmm well also very really more most just only even i you he she we they let let's please's going gonna trying
`)
const closing = set('thanks thank please bye goodbye okay ok right correct exactly cheers')
const addressing = set('hi hello hey good morning afternoon evening excuse sorry me listen look there')
const asking = set('what when where who why how which whose')
const auxiliaries = set('can could will would do does did is are was were may should shall have has')
const orders = set(
  'call send give show tell book cancel open close play stop read write find make turn set add remove help check change repeat translate',
)
const subordinating = set('if when while because although since unless')
const yesOrNo = set('yes yeah yep no nope sure okay ok right exactly correct fine great')

/** Judges by the last words of English speech whether it is over; there must be at least one word. */
export function endOfEnglish({ words, mark }: LastWords, wasAsked: boolean): TurnEnd {
  const last = words.at(-1)!
  const first = words.find((word) => !addressing.has(word) && !yesOrNo.has(word))
  if (mark === 'question') return 'sure'
  if (mark === 'open' || (opening.has(last) && !(last === 'you' && words.at(-2) === 'thank'))) return 'open'
  if (first === undefined)
    return words.every((word) => yesOrNo.has(word)) && words.length > 1 ? 'sure' : 'brief'
  if (closing.has(last) || (last === 'you' && words.at(-2) === 'thank')) return 'sure'
  // The main clause is still to come: in English it may begin without any sign, so it is recognised by length.
  if (subordinating.has(first)) return words.length < 9 ? 'open' : 'neutral'
  const isWhole = words.length >= 3 && (asking.has(first) || auxiliaries.has(first) || orders.has(first))
  if (isWhole) return 'sure'
  return wasAsked || words.length >= 5 ? 'brief' : 'neutral'
}
