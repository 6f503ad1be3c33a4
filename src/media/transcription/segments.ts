/** Makes segments where an upstream has none of its own: from words, split at pauses, ends of sentences and changes of speaker. */
import type { SpokenSegment, SpokenWord } from '#core/turn'
import { itemsPerStep, mapInSteps, type Steps } from '#platform/slices'
import { type Token, tokenSteps } from './tokens.ts'

interface SpokenText {
  from: number
  to: number
  text: string
  words: readonly SpokenWord[]
}

const pauseSeconds = 0.8
/** The longest segment: two lines of a subtitle, for as long as one is read with ease. */
const maxSeconds = 7
const maxTextLength = 84
const ending = /[.!?؟…۔][»”"'’)\]]*$/u

/**
 * Segments of the text, each a stretch of it with the times of its words; a word that the text spells differently counts for the speaker before it.
 * Without words, the segments as they are; without these, one for the whole text.
 */
export function* segmentSteps(
  spoken: SpokenText,
  segments: readonly SpokenSegment[],
): Steps<SpokenSegment[]> {
  const { from, to, text, words } = spoken
  if (words.length === 0)
    return segments.length > 0 ? [...segments] : text === '' ? [] : [{ start: from, end: to, text }]
  const tokens = yield* tokenSteps([{ start: from, end: to, text }], words)
  const groups: Token[][] = []
  let speaker: string | undefined
  for (const [index, token] of tokens.entries()) {
    if (index % itemsPerStep === itemsPerStep - 1) yield
    const own = token.word === undefined ? speaker : words[token.word]!.speaker
    const group = groups.at(-1)
    if (!group || own !== speaker || startsNewSegment(group, token)) groups.push([token])
    else group.push(token)
    speaker = own
  }
  return yield* mapInSteps(groups, (group) => segmentFrom(group, text, words))
}

function startsNewSegment(group: readonly Token[], next: Token): boolean {
  const [first, last] = [group[0]!, group.at(-1)!]
  if (next.start - last.end > pauseSeconds || ending.test(last.text)) return true
  return next.end - first.start > maxSeconds || next.to - first.from > maxTextLength
}

function segmentFrom(group: readonly Token[], text: string, words: readonly SpokenWord[]): SpokenSegment {
  const [first, last] = [group[0]!, group.at(-1)!]
  const speaker = group.flatMap(({ word }) => (word === undefined ? [] : (words[word]!.speaker ?? [])))[0]
  return {
    start: first.start,
    end: last.end,
    text: text.slice(first.from, last.to),
    ...(speaker !== undefined && { speaker }),
  }
}
