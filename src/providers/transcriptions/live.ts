import type { LiveCall, LiveLink, LiveSink, LiveUsage, UpstreamError } from '#core/spec'
import {
  base64Of,
  claimedCount,
  faultOfError,
  isRecord,
  LiveSession,
  PcmUpsampler,
  type UpstreamClient,
  type UpstreamEvent,
  type UpstreamSocket,
} from '#providers/kit'

/** Codes of errors that only say that too little sound was committed: the utterance is empty. */
const emptyUtteranceCodes: ReadonlySet<unknown> = new Set([
  'input_audio_buffer_commit_empty',
  'input_audio_buffer_too_small',
])
const transcriptionEventPrefix = 'conversation.item.input_audio_transcription.'
/** Whether the host opens a conversation where the address names a model; all other servers need it there. */
const namesModelInSession = (host: string): boolean => /(^|\.)(openai\.com|azure\.com)$/.test(host)

/**
 * OpenAI's transcription sessions at `GET /realtime?intent=transcription` (developers.openai.com: realtime transcription, client and server events),
 * and compatible servers such as Speaches and LocalAI. Servers from before its general release greet with `transcription_session.created`, and get
 * the fields of that time. Voice detection is off: an utterance ends where we say so.
 */
export async function openTranscriptionSession(
  client: UpstreamClient,
  call: LiveCall,
  sink: LiveSink,
): Promise<LiveLink> {
  const line = new TranscriptionConnection(client.secrets, call, sink)
  const { timeouts, signal, upstreamModel } = call
  const query = new URLSearchParams({ intent: 'transcription' })
  if (!namesModelInSession(client.host)) query.set('model', upstreamModel)
  await client.socket({ path: `/realtime?${query}`, timeouts, signal }, line)
  return line.session
}

class TranscriptionConnection {
  readonly session: LiveSession
  readonly #secrets: readonly string[]
  readonly #call: LiveCall
  readonly #finer = new PcmUpsampler()
  #socket: UpstreamSocket | undefined
  /** The item of the utterance, and its words so far. */
  #itemId: unknown
  #text = ''
  /** The usage so far. A figure is absent once an utterance came without it. */
  #tokens: LiveUsage['tokens']
  #seconds: number | undefined

  constructor(secrets: readonly string[], call: LiveCall, sink: LiveSink) {
    this.#secrets = secrets
    this.#call = call
    this.session = new LiveSession(
      {
        sound: (pcm) =>
          this.#socket?.send({ type: 'input_audio_buffer.append', audio: base64Of(this.#finer.write(pcm)) }),
        commit: () => this.#socket?.send({ type: 'input_audio_buffer.commit' }),
        end: async () => {
          await this.#socket?.close()
          const { input, output } = this.#tokens ?? {}
          const isCounted = input !== undefined || output !== undefined
          return { seconds: this.#seconds, tokens: isCounted ? this.#tokens : undefined }
        },
        fail: (error) => this.#socket?.fail(error),
      },
      sink,
      call.timeouts.firstTokenMs,
    )
  }

  /** Nothing is sent yet: the upstream greets first. */
  opened(socket: UpstreamSocket): void {
    this.#socket = socket
  }

  event(event: UpstreamEvent, socket: UpstreamSocket): void {
    const { type, item_id: itemId } = event
    if (type === 'session.created' || type === 'transcription_session.created') this.#greeted(event, socket)
    else if (type === 'session.updated' || type === 'transcription_session.updated') socket.ready()
    else if (type === 'input_audio_buffer.committed') this.#begin(itemId)
    else if (type === `${transcriptionEventPrefix}delta`) this.#delta(itemId, event['delta'])
    else if (type === `${transcriptionEventPrefix}completed`) this.#completed(event)
    else if (type === `${transcriptionEventPrefix}failed` || type === 'error') this.#trouble(event['error'])
  }

  failed(error: UpstreamError): void {
    this.session.failed(error)
  }

  #greeted({ type, session }: UpstreamEvent, socket: UpstreamSocket): void {
    const id = isRecord(session) ? session['id'] : undefined
    if (typeof id === 'string') this.#call.onUpstreamId?.(id.slice(0, 100))
    socket.send(type === 'session.created' ? sessionOf(this.#call) : earlierSessionOf(this.#call))
  }

  #begin(itemId: unknown): void {
    if (itemId !== this.#itemId) this.#text = ''
    this.#itemId = itemId
  }

  /** Some models send pieces of text while they hear, others only after the commit. */
  #delta(itemId: unknown, delta: unknown): void {
    this.#begin(itemId)
    if (typeof delta === 'string') this.#text += delta
    this.session.partial(this.#text)
  }

  #completed({ item_id: itemId, transcript, usage }: UpstreamEvent): void {
    this.#count(isRecord(usage) ? usage : {}, transcript !== '')
    if (this.#itemId !== undefined && itemId !== this.#itemId) return
    this.session.heard({ text: typeof transcript === 'string' ? transcript : this.#text })
    this.#itemId = undefined
    this.#text = ''
  }

  /** Adds usage. Sound that was heard has tokens, and so has a text: 0 is no count. */
  #count(usage: Record<string, unknown>, hasText: boolean): void {
    const [input, output] = [claimedCount(usage['input_tokens']), claimedCount(usage['output_tokens'])]
    const seconds = usage['seconds']
    if (typeof seconds === 'number') this.#seconds = (this.#seconds ?? 0) + Math.max(0, seconds)
    const before = this.#tokens ?? { input: 0, output: 0 }
    this.#tokens = {
      input: added(before.input, input || undefined),
      output: added(before.output, hasText ? output || undefined : output),
    }
  }

  #trouble(error: unknown): void {
    if (isRecord(error) && emptyUtteranceCodes.has(error['code'])) this.session.heard({ text: '' })
    else throw faultOfError(error, this.#secrets)
  }
}

const added = (sum: number | undefined, count: number | undefined): number | undefined =>
  sum === undefined || count === undefined ? undefined : sum + count

const transcriptionOf = ({ upstreamModel, language, prompt }: LiveCall) => ({
  model: upstreamModel,
  ...(language !== undefined && { language }),
  ...(prompt !== undefined && { prompt }),
})

const sessionOf = (call: LiveCall): UpstreamEvent => ({
  type: 'session.update',
  session: {
    type: 'transcription',
    audio: {
      input: {
        format: { type: 'audio/pcm', rate: 24_000 },
        transcription: transcriptionOf(call),
        turn_detection: null,
      },
    },
  },
})

const earlierSessionOf = (call: LiveCall): UpstreamEvent => ({
  type: 'transcription_session.update',
  session: {
    input_audio_format: 'pcm16',
    input_audio_transcription: transcriptionOf(call),
    turn_detection: null,
  },
})
