import type { LiveCall, LiveLink, LiveSink } from '#core/spec'
import type { SpokenWord } from '#core/turn'
import { type Deadline, deadlines } from '#platform/clock'
import {
  faultOfError,
  firstOf,
  isRecord,
  LiveSession,
  languageCode,
  spanOf,
  type UpstreamClient,
  type UpstreamEvent,
  type UpstreamSocket,
} from '#providers/kit'

/** Without sound or this message the connection is closed after ten seconds (developers.deepgram.com/docs/audio-keep-alive). */
const keepAliveMs = 4_000
/** How long to wait for an answer to `Finalize`, which does not come where little sound was left; the utterance is then what is known. */
const finalizeMs = 1_000
/** How long the upstream may take to say what it billed. */
const farewellMs = 2_000
/** The most words of one utterance, with their times. */
const maxWords = 2_000

/**
 * Deepgram's live `GET /listen` (developers.deepgram.com/reference/speech-to-text/listen-streaming, docs/interim-results, docs/finalize,
 * docs/close-stream). Deepgram's own end of speech is off: an utterance ends with `Finalize`.
 */
export async function openDeepgram(
  client: UpstreamClient,
  call: LiveCall,
  sink: LiveSink,
): Promise<LiveLink> {
  const line = new DeepgramConnection(client.secrets, call, sink)
  const { timeouts, signal } = call
  const socket = await client.socket({ path: `/listen?${optionsOf(call)}`, timeouts, signal }, line)
  return line.begin(socket)
}

function optionsOf({ upstreamModel, language, keywords = [] }: LiveCall): URLSearchParams {
  const options = new URLSearchParams({
    model: upstreamModel,
    encoding: 'linear16',
    sample_rate: '16000',
    channels: '1',
    interim_results: 'true',
    endpointing: 'false',
    smart_format: 'true',
    // Without a language everything is taken for English; `multi` detects it among the languages of the model.
    language: language ?? 'multi',
  })
  for (const word of keywords) options.append('keyterm', word)
  return options
}

class DeepgramConnection {
  readonly session: LiveSession
  readonly #secrets: readonly string[]
  readonly #call: LiveCall
  #socket: UpstreamSocket | undefined
  #keepAlive: NodeJS.Timeout | undefined
  #finalize: Deadline | undefined
  #wroteMs = performance.now()
  /** The utterance so far: its final text and words, the text that may still change, and whether any result came for it. */
  #finals: string[] = []
  #words: SpokenWord[] = []
  #interim = ''
  #isAnswered = false
  #language: string | undefined
  #billedSeconds: unknown

  constructor(secrets: readonly string[], call: LiveCall, sink: LiveSink) {
    this.#secrets = secrets
    this.#call = call
    this.session = new LiveSession(
      {
        sound: (pcm) => {
          this.#wroteMs = performance.now()
          this.#socket?.send(pcm)
        },
        commit: () => {
          this.#socket?.send({ type: 'Finalize' })
          this.#finalize = deadlines.in(finalizeMs, () => {
            if (this.#isAnswered) this.#finish()
          })
        },
        end: () => this.#end(),
        fail: (error) => this.#socket?.fail(error),
      },
      sink,
      call.timeouts.firstTokenMs,
    )
  }

  opened(socket: UpstreamSocket): void {
    socket.ready()
  }

  begin(socket: UpstreamSocket): LiveLink {
    this.#socket = socket
    this.#keepAlive = setInterval(() => {
      if (performance.now() - this.#wroteMs >= keepAliveMs) socket.send({ type: 'KeepAlive' })
    }, keepAliveMs).unref()
    return this.session
  }

  event(event: UpstreamEvent): void {
    const { type } = event
    if (type === 'Results') this.#result(event)
    else if (type === 'Metadata') this.#metadata(event)
    else if (type === 'Error')
      throw faultOfError({ message: event['description'], code: event['code'] }, this.#secrets)
  }

  failed(error: Parameters<LiveSink['failed']>[0]): void {
    this.#stop()
    this.session.failed(error)
  }

  #result(event: UpstreamEvent): void {
    const { channel, start, duration, is_final: isFinal, from_finalize: isEnd } = event
    // A late result of an utterance that is over is no part of the next one.
    if (Number(start) + Number(duration) <= this.session.committedSeconds) return
    const best = isRecord(channel) ? firstOf(channel['alternatives']) : undefined
    const text = typeof best?.['transcript'] === 'string' ? best['transcript'].trim() : ''
    this.#isAnswered = true
    if (best) this.#language = languageCode(firstLanguage(best['languages'])) ?? this.#language
    this.#interim = isFinal === true ? '' : text
    if (isFinal === true && text !== '') {
      this.#finals.push(text)
      this.#words.push(...this.#wordsIn(best?.['words']))
    }
    this.session.partial(this.#text())
    if (isEnd === true) this.#finish()
  }

  #finish(): void {
    this.#finalize?.cancel()
    if (!this.session.isCommitting) return
    const heard = {
      text: this.#text(),
      ...(this.#language !== undefined && { language: this.#language }),
      ...(this.#words.length > 0 && { words: this.#words }),
    }
    this.#finals = []
    this.#words = []
    this.#interim = ''
    this.#isAnswered = false
    this.session.heard(heard)
  }

  #text(): string {
    return [...this.#finals, this.#interim].join(' ').trim()
  }

  /** The words of a result, whose times count from the first sound of the connection. */
  #wordsIn(list: unknown): SpokenWord[] {
    if (!Array.isArray(list)) return []
    return list.slice(0, maxWords - this.#words.length).flatMap((item: unknown) => {
      const span = isRecord(item) ? spanOf(item, this.session.writtenSeconds) : undefined
      const word = isRecord(item) ? (item['punctuated_word'] ?? item['word']) : undefined
      return span && typeof word === 'string' && word !== '' ? [{ ...span, word }] : []
    })
  }

  #metadata(event: UpstreamEvent): void {
    this.#billedSeconds = event['duration']
    const id = event['request_id']
    if (typeof id === 'string') this.#call.onUpstreamId?.(id.slice(0, 100))
  }

  async #end(): Promise<{ seconds?: unknown }> {
    this.#stop()
    await this.#socket?.close({ type: 'CloseStream' }, farewellMs)
    return { seconds: this.#billedSeconds }
  }

  #stop(): void {
    clearInterval(this.#keepAlive)
    this.#finalize?.cancel()
  }
}

const firstLanguage = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined)
