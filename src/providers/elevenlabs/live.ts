import { type LiveCall, type LiveLink, type LiveSink, UpstreamError, type UpstreamFault } from '#core/spec'
import {
  base64Of,
  faultOfError,
  LiveSession,
  languageCode,
  type UpstreamClient,
  type UpstreamEvent,
  type UpstreamSocket,
} from '#providers/kit'

/** Messages about sound in which there is too little to hear: the utterance is empty. */
const emptyUtteranceTypes: ReadonlySet<string> = new Set(['insufficient_audio_activity', 'commit_throttled'])

/** Faults that the type of a message names by itself (elevenlabs.io/docs: speech to text, realtime, event reference). */
const faults: Readonly<Record<string, UpstreamFault>> = {
  auth_error: 'authentication',
  quota_exceeded: 'authentication',
  unaccepted_terms: 'authentication',
  rate_limited: 'rate_limited',
  queue_overflow: 'overloaded',
  resource_exhausted: 'overloaded',
  session_time_limit_exceeded: 'cut',
  input_error: 'invalid_request',
  chunk_size_exceeded: 'invalid_request',
  transcriber_error: 'unavailable',
}

/**
 * Scribe's `GET /speech-to-text/realtime` (elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime). Utterances end where we say
 * so. Times of words would come in a second message after the transcript, for which nobody waits.
 */
export async function openScribe(client: UpstreamClient, call: LiveCall, sink: LiveSink): Promise<LiveLink> {
  const line = new ScribeConnection(client.secrets, call, sink)
  const { timeouts, signal } = call
  const path = `/speech-to-text/realtime?${optionsOf(call)}`
  await client.socket({ path, timeouts, signal }, line)
  return line.session
}

function optionsOf({ upstreamModel, language }: LiveCall): URLSearchParams {
  const options = new URLSearchParams({
    model_id: upstreamModel,
    audio_format: 'pcm_16000',
    commit_strategy: 'manual',
  })
  if (language !== undefined) options.set('language_code', language)
  return options
}

class ScribeConnection {
  readonly session: LiveSession
  readonly #secrets: readonly string[]
  readonly #call: LiveCall
  #socket: UpstreamSocket | undefined

  constructor(secrets: readonly string[], call: LiveCall, sink: LiveSink) {
    this.#secrets = secrets
    this.#call = call
    this.session = new LiveSession(
      {
        sound: (pcm) => this.#chunk(pcm, false),
        commit: () => this.#chunk(noSound, true),
        end: async () => {
          await this.#socket?.close()
          return {}
        },
        fail: (error) => this.#socket?.fail(error),
      },
      sink,
      call.timeouts.firstTokenMs,
    )
  }

  /** The session is not ready before the upstream says so. */
  opened(socket: UpstreamSocket): void {
    this.#socket = socket
  }

  event(event: UpstreamEvent, socket: UpstreamSocket): void {
    const { message_type: type, text } = event
    const id = event['session_id']
    if (type === 'session_started') {
      if (typeof id === 'string') this.#call.onUpstreamId?.(id.slice(0, 100))
      socket.ready()
    } else if (type === 'partial_transcript' && typeof text === 'string') this.session.partial(text)
    else if (type === 'committed_transcript' && typeof text === 'string') this.#heard(event, text)
    else if (typeof type === 'string') this.#trouble(type, event['error'])
  }

  failed(error: UpstreamError): void {
    this.session.failed(error)
  }

  #heard(event: UpstreamEvent, text: string): void {
    const language = languageCode(event['language_code'])
    this.session.heard({ text, ...(language !== undefined && { language }) })
  }

  #trouble(type: string, error: unknown): void {
    if (emptyUtteranceTypes.has(type)) {
      this.session.heard({ text: '' })
      return
    }
    const fault = Object.hasOwn(faults, type) ? faults[type] : undefined
    if (fault === undefined && type !== 'error') return
    const described = faultOfError({ message: error, type }, this.#secrets)
    throw fault === undefined
      ? described
      : new UpstreamError(fault, {
          ...(described.detail !== undefined && { detail: described.detail }),
          ...(described.inside !== undefined && { inside: described.inside }),
        })
  }

  #chunk(pcm: Uint8Array, commit: boolean): void {
    this.#socket?.send({
      message_type: 'input_audio_chunk',
      audio_base_64: base64Of(pcm),
      commit,
      sample_rate: 16_000,
    })
  }
}

const noSound = new Uint8Array(0)
