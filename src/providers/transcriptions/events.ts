/** A streamed transcript: `transcript.text.delta`, `.segment` and `.done` (developers.openai.com, TranscriptionStreamEvent). */

import { type TranscriptionResult, UpstreamError } from '#core/spec'
import type { SpokenSegment, TranscriptionOrder } from '#core/turn'
import { GrowingBytes } from '#platform/bytes'
import {
  checkLength,
  faultOfError,
  isRecord,
  maxCharacters,
  readJson,
  SseReader,
  transcriptBytes,
  type UpstreamClient,
} from '#providers/kit'
import { languageIn, segmentOf, transcriptIn, usageIn } from './answer.ts'

type EventsRequest = Parameters<UpstreamClient['stream']>[0]

/** How much larger events may be than a whole answer: each piece of text may come in one of its own, with its envelope and its probabilities. */
const envelopes = 8
/** The last event repeats the whole text, each character of which takes at most `escapedBytes`. */
const eventBytes = 256 * 1_024
const escapedBytes = 6

/**
 * The whole transcript, whose text is given to `order.onText` as it comes. An upstream that does not stream answers at once, which is read as
 * well. Throws `UpstreamError`: `cut` where the events end before the transcript does.
 */
export async function heardInEvents(
  client: UpstreamClient,
  request: EventsRequest,
  order: TranscriptionOrder,
): Promise<TranscriptionResult> {
  const bytes = transcriptBytes(order.recording.seconds)
  const transcript = new StreamedTranscript(order, client.secrets)
  const events = new SseReader(
    (data) => transcript.take(data),
    eventBytes + escapedBytes * maxCharacters(order),
  )
  const whole = new GrowingBytes()
  let isStream = false
  await client.stream(request, {
    begin: (headers) => {
      isStream = String(headers['content-type'] ?? '').includes('event-stream')
    },
    write: (chunk) => {
      if (isStream) return events.push(chunk)
      if (whole.length + chunk.length > bytes)
        throw new UpstreamError('malformed', { detail: `an answer of more than ${bytes} bytes` })
      whole.add(chunk)
    },
    maxBytes: bytes * envelopes,
  })
  if (!isStream) {
    const heard = await transcriptIn(await readJson(whole.take(), bytes), order, client.secrets)
    if (heard.text !== '') order.onText?.(heard.text)
    return heard
  }
  events.end()
  return transcript.end()
}

class StreamedTranscript {
  readonly #order: TranscriptionOrder
  readonly #secrets: readonly string[]
  readonly #segments: SpokenSegment[] = []
  #text = ''
  /** The characters of the segments so far. */
  #characters = 0
  #done: Record<string, unknown> | undefined
  /**
   * True once untyped events came, each with the text of a segment: Speaches and its forks (speaches-ai/speaches, routers/stt.py) send no last event.
   */
  #isBare = false
  /** True once `[DONE]` came. */
  #isClosed = false

  constructor(order: TranscriptionOrder, secrets: readonly string[]) {
    this.#order = order
    this.#secrets = secrets
  }

  /** Takes the data of one event. Throws `UpstreamError` for a failure that it reports, and for text without end. */
  take(data: string): void {
    if (this.#done) return
    if (data.trim() === '[DONE]') {
      this.#isClosed = true
      return
    }
    const event = eventIn(data)
    const { type, error } = event
    if (error != null || type === 'error') throw faultOfError(error ?? event, this.#secrets)
    if (type === 'transcript.text.done') this.#finish(event)
    else if (type === 'transcript.text.segment') this.#segment(event)
    else if (type === 'transcript.text.delta') this.#add(event['delta'])
    else if (type === undefined) this.#bare(event)
  }

  /** Returns the transcript; call it at the end of the answer. */
  end(): TranscriptionResult {
    if (!this.#done && !this.#isBare && !(this.#isClosed && this.#text !== ''))
      throw new UpstreamError('cut', { detail: 'the events ended without the transcript' })
    const done = this.#done ?? {}
    const language = languageIn(done)
    const usage = usageIn(done['usage'])
    const { timestamps, diarize } = this.#order
    return {
      text: typeof done['text'] === 'string' ? done['text'].trim() : this.#text.trim(),
      ...(language !== undefined && { language }),
      ...((timestamps !== 'none' || diarize) &&
        this.#segments.length > 0 && {
          segments: this.#segments.sort((one, other) => one.start - other.start),
        }),
      ...(usage && { usage }),
    }
  }

  #finish(event: Record<string, unknown>): void {
    const text = event['text']
    if (typeof text === 'string') {
      checkLength(text.length, this.#order)
      // The text came in no piece before.
      if (this.#text === '' && text !== '') this.#add(text)
    }
    this.#done = event
  }

  #segment(event: Record<string, unknown>): void {
    const segment = segmentOf(event, this.#order.recording.seconds)
    if (!segment || segment.text === '') return
    this.#segments.push(segment)
    this.#characters += segment.text.length
    checkLength(this.#characters, this.#order)
  }

  #bare(event: Record<string, unknown>): void {
    const { text, segments } = event
    if (typeof text !== 'string') return
    this.#isBare = true
    if (Array.isArray(segments)) for (const one of segments) if (isRecord(one)) this.#segment(one)
    this.#add(this.#text === '' || /^\s/.test(text) ? text : ` ${text}`)
  }

  #add(piece: unknown): void {
    if (typeof piece !== 'string' || piece === '') return
    this.#text += piece
    checkLength(this.#text.length, this.#order)
    this.#order.onText?.(piece)
  }
}

function eventIn(data: string): Record<string, unknown> {
  let event: unknown
  try {
    event = JSON.parse(data)
  } catch (cause) {
    throw new UpstreamError('malformed', { detail: 'an event that is not JSON', cause })
  }
  if (!isRecord(event)) throw new UpstreamError('malformed', { detail: 'an event that is no object' })
  return event
}
