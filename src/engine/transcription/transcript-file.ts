/** The stored transcript: OpenAI's verbose JSON, so that nothing that was heard is lost, in slices. */
import type { SpokenSegment, SpokenWord } from '#engine/turn'
import { nextTurn } from '#platform/slices'

export const transcriptMediaType = 'application/json'

export interface StoredTranscript {
  model: string
  language: string | undefined
  seconds: number
  text: string
  segments: readonly SpokenSegment[]
  words: readonly SpokenWord[] | undefined
  speakers: readonly string[] | undefined
}

/** Of a second, with words and segments; what is longer is kept all the same. */
const bytesPerSecond = 600
const leastBytes = 16_384
export const reservedBytes = (seconds: number): number => leastBytes + Math.ceil(seconds * bytesPerSecond)

const itemsAtOnce = 500

export async function transcriptFile(transcript: StoredTranscript): Promise<Uint8Array> {
  const { model, language, seconds, text, segments, words, speakers } = transcript
  const head = { task: 'transcribe', model, language: language ?? null, duration: seconds, text }
  const listed = segments.map(({ details, ...segment }, id) => ({ id, ...segment, ...details }))
  const parts = [
    JSON.stringify(head).slice(0, -1),
    ...(speakers ? [`,"speakers":${JSON.stringify(speakers)}`] : []),
    ...(await listOf('segments', listed)),
    ...(words ? await listOf('words', words) : []),
    '}\n',
  ]
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}

async function listOf(name: string, items: readonly unknown[]): Promise<string[]> {
  const parts: string[] = []
  for (let at = 0; at < items.length; at += itemsAtOnce) {
    const some = JSON.stringify(items.slice(at, at + itemsAtOnce)).slice(1, -1)
    parts.push(at > 0 ? `,${some}` : some)
    if (at > 0) await nextTurn()
  }
  return [`,"${name}":[`, ...parts, ']']
}
