/** The stored transcript: OpenAI's verbose JSON, so that nothing of the transcript is lost, written in slices. */
import type { SpokenSegment, SpokenWord } from '#core/turn'
import { nextTurn } from '#platform/slices'

export const transcriptMediaType = 'application/json'

export interface StoredTranscript {
  task: 'transcribe' | 'translate'
  model: string
  language: string | undefined
  seconds: number
  text: string
  segments: readonly SpokenSegment[]
  words: readonly SpokenWord[] | undefined
  speakers: readonly string[] | undefined
}

/** The bytes reserved for a second, with words and segments; a longer transcript is kept all the same. */
const bytesPerSecond = 600
const leastBytes = 16_384
export const reservedBytes = (seconds: number): number => leastBytes + Math.ceil(seconds * bytesPerSecond)

const itemsAtOnce = 500

export async function transcriptFile(transcript: StoredTranscript): Promise<Uint8Array> {
  const { task, model, language, seconds, text, segments, words, speakers } = transcript
  const head = { task, model, language: language ?? null, duration: seconds, text }
  const parts = [
    Buffer.from(JSON.stringify(head).slice(0, -1)),
    ...(speakers ? [Buffer.from(`,"speakers":${JSON.stringify(speakers)}`)] : []),
    ...(await listOf('segments', segments, ({ details, ...segment }, id) => ({
      id,
      ...segment,
      ...details,
    }))),
    ...(words ? await listOf('words', words, (word) => word) : []),
    Buffer.from('}\n'),
  ]
  return Buffer.concat(parts)
}

async function listOf<Item>(
  name: string,
  items: readonly Item[],
  written: (item: Item, index: number) => unknown,
): Promise<Buffer[]> {
  const parts: Buffer[] = []
  for (let at = 0; at < items.length; at += itemsAtOnce) {
    const listed = items.slice(at, at + itemsAtOnce).map((item, index) => written(item, at + index))
    const some = JSON.stringify(listed).slice(1, -1)
    parts.push(Buffer.from(at > 0 ? `,${some}` : some))
    if (at > 0) await nextTurn()
  }
  return [Buffer.from(`,"${name}":[`), ...parts, Buffer.from(']')]
}
