/** The first bytes of what should be sound: servers answer 200 with an error in JSON, or with a page of a proxy. */
import { sniff } from '#engine/media'
import type { SoundEncoding, SoundFormat, SoundSink } from '#engine/turn'
import { UpstreamError } from '#providers/spec'
import { faultOfError } from './fault.ts'
import { isRecord } from './json.ts'

/** Bytes by which every container is told apart. */
const headBytes = 64
/** Of a text in place of sound. */
const maxTextBytes = 64 * 1024

const types: Record<SoundEncoding, readonly string[]> = {
  mp3: ['audio/mpeg'],
  wav: ['audio/wav'],
  opus: ['audio/ogg'],
  flac: ['audio/flac'],
  aac: ['audio/aac', 'audio/mp4'],
  pcm: [],
}

/** Holds the first bytes back until it is known that they are the sound that was asked for, then passes everything on. */
export class SoundStart {
  readonly #format: SoundFormat
  readonly #sink: SoundSink
  #head: Buffer | undefined = Buffer.alloc(0)
  #isText = false

  constructor(format: SoundFormat, sink: SoundSink) {
    this.#format = format
    this.#sink = sink
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (!this.#head) return this.#sink.write(chunk)
    this.#head = Buffer.concat([this.#head, chunk])
    if (this.#head.length >= headBytes && !this.#isText) await this.#decide()
    if (this.#isText && this.#head && this.#head.length > maxTextBytes) throw wrong('a long text')
  }

  /** Call at the end of the answer. Returns the text that came in place of sound. Throws `UpstreamError` for an answer without sound. */
  async end(): Promise<string | undefined> {
    if (this.#head && !this.#isText && this.#head.length > 0) await this.#decide()
    if (!this.#head) return undefined
    if (this.#head.length === 0) throw wrong('nothing')
    return this.#head.toString('utf8')
  }

  async #decide(): Promise<void> {
    const head = this.#head!
    if (looksLikeText(head)) {
      this.#isText = true
      return
    }
    const found = sniff(head)
    const { encoding } = this.#format
    const isAsked = encoding === 'pcm' ? found === undefined : types[encoding].includes(found ?? '')
    if (!isAsked && !(encoding === 'mp3' && found === undefined))
      throw wrong(found ?? 'bytes of no known type')
    this.#head = undefined
    this.#sink.begin(this.#format)
    await this.#sink.write(head)
  }
}

/** JSON or a page: sound never begins so, and silence in samples is zeros. */
const looksLikeText = (head: Buffer): boolean =>
  /^\s*(\{"|\{\s|<!doctype|<html|<\?xml)/i.test(head.toString('latin1'))

const wrong = (what: string): UpstreamError =>
  new UpstreamError('malformed', { detail: `an answer of ${what} in place of the sound` })

/** The fault that a text in place of sound describes. */
export function faultIn(text: string, secrets: readonly string[]): UpstreamError {
  try {
    const answer: unknown = JSON.parse(text)
    if (isRecord(answer) && answer['error'] != null) return faultOfError(answer['error'], secrets)
  } catch {
    // A page, or JSON that was cut.
  }
  return wrong('a text')
}
