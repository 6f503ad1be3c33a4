/** What all wires of live transcription share: seconds that were written, the open commit with its timeout, and how much text is plausible. */

import { type LiveLink, type LiveSink, type LiveTranscript, type LiveUsage, UpstreamError } from '#core/spec'
import { type Deadline, deadlines } from '#platform/clock'
import { claimedSeconds as secondsIn } from './spoken.ts'

const rate = 16_000
const bytesPerSecond = 2 * rate
/** The bound of recordings: nobody speaks as fast for long. */
const charactersPerSecond = 40
const leastCharacters = 400

/** The messages of one wire. */
export interface LiveWire {
  /** Sends sound: 16 kHz, mono, 16 bit, little-endian. */
  sound(pcm: Uint8Array): void
  /** Asks for the end of the utterance; `LiveSession.heard` answers it. */
  commit(): void
  /** Closes the connection, and resolves with what the upstream claims to have billed. Never rejects. */
  end(): Promise<{ seconds?: unknown; tokens?: LiveUsage['tokens'] | undefined }>
  /** Cuts the connection, because the upstream did not do what it should. */
  fail(error: UpstreamError): void
}

interface OpenCommit {
  resolve: (heard: LiveTranscript) => void
  reject: (error: UpstreamError) => void
  deadline: Deadline
  /** The bytes written when the commit was requested: what comes after belongs to the next utterance. */
  writtenBytes: number
}

export class LiveSession implements LiveLink {
  readonly #wire: LiveWire
  readonly #sink: LiveSink
  readonly #commitMs: number
  #writtenBytes = 0
  /** The bytes that belong to earlier utterances. */
  #committedBytes = 0
  #commit: OpenCommit | undefined
  #isOver = false
  #usage: Promise<LiveUsage> | undefined

  /** `commitMs` is how long an upstream may take to say the last words of an utterance. */
  constructor(wire: LiveWire, sink: LiveSink, commitMs: number) {
    this.#wire = wire
    this.#sink = sink
    this.#commitMs = commitMs
  }

  /** Seconds of sound since the link was opened. */
  get writtenSeconds(): number {
    return this.#writtenBytes / bytesPerSecond
  }

  /** Where the last utterance ended, in seconds from the first sound. */
  get committedSeconds(): number {
    return this.#committedBytes / bytesPerSecond
  }

  get isCommitting(): boolean {
    return this.#commit !== undefined
  }

  write(pcm: Uint8Array): void {
    if (this.#isOver || pcm.length === 0) return
    this.#writtenBytes += pcm.length
    this.#wire.sound(pcm)
  }

  commit(): Promise<LiveTranscript> {
    if (this.#isOver) return Promise.reject(new UpstreamError('aborted', { executed: false }))
    if (this.#commit) throw new Error('Two commits of one link at once.')
    if (this.#writtenBytes === this.#committedBytes) return Promise.resolve({ text: '' })
    const { promise, resolve, reject } = Promise.withResolvers<LiveTranscript>()
    const deadline = deadlines.in(this.#commitMs, () =>
      this.#wire.fail(new UpstreamError('timeout', { detail: `no transcript within ${this.#commitMs} ms` })),
    )
    this.#commit = { resolve, reject, deadline, writtenBytes: this.#writtenBytes }
    this.#wire.commit()
    return promise
  }

  close(): Promise<LiveUsage> {
    this.#usage ??= this.#end()
    return this.#usage
  }

  /** Called by the wire with all that is understood of the utterance so far. */
  partial(text: string): void {
    const said = this.#plausible(text)
    if (said !== '' && !this.#isOver) this.#sink.partial(said)
  }

  /** Called by the wire when the utterance is over. Ignored where nobody waits for its end. */
  heard(heard: LiveTranscript): void {
    const open = this.#commit
    if (!open) return
    const text = this.#plausible(heard.text)
    this.#commit = undefined
    this.#committedBytes = open.writtenBytes
    open.deadline.cancel()
    open.resolve({ ...heard, text })
  }

  /** Called by the wire when the connection is over. */
  failed(error: UpstreamError): void {
    if (this.#isOver) return
    this.#leave(error)
    this.#sink.failed(error)
  }

  async #end(): Promise<LiveUsage> {
    this.#leave(new UpstreamError('aborted'))
    const { seconds: claim, tokens } = await this.#wire.end()
    const seconds = this.writtenSeconds
    const claimed = secondsIn(claim)
    return {
      seconds,
      ...(claimed !== undefined && { claimedSeconds: Math.min(claimed, seconds) }),
      ...(tokens && { tokens }),
    }
  }

  #leave(error: UpstreamError): void {
    this.#isOver = true
    this.#commit?.deadline.cancel()
    this.#commit?.reject(error)
    this.#commit = undefined
  }

  /** The text, trimmed. Throws malformed for more than anybody speaks in the time: models that repeat themselves write without end. */
  #plausible(text: string): string {
    const seconds = (this.#writtenBytes - this.#committedBytes) / bytesPerSecond
    if (text.length > leastCharacters + seconds * charactersPerSecond)
      throw new UpstreamError('malformed', {
        detail: `more text than is spoken in ${Math.ceil(seconds)} seconds`,
      })
    return text.trim()
  }
}
