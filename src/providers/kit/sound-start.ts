/** Checks the first bytes of what should be sound: servers answer 200 with an error in JSON, or with a page of a proxy. */

import { sniff } from '#core/media'
import { UpstreamError } from '#core/spec'
import type { SoundEncoding, SoundFormat, SoundSink } from '#core/turn'
import { isRecord } from '#platform/json'
import type { ReplyHeaders } from './exchange.ts'
import { faultOfError } from './fault.ts'
import { headerOf } from './header.ts'

/** The bytes by which every container is recognised. */
const headBytes = 64
/** Two frames of an mp3, by which it is distinguished from samples. */
const framesBytes = 2_048
/** The most bytes of a text in place of sound. */
const maxTextBytes = 64 * 1024

/** The media types that can be decoded here, whatever was requested. */
const decodable: Record<string, SoundEncoding> = {
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/ogg': 'opus',
  'audio/flac': 'flac',
}

/**
 * Holds the first bytes back until it is known that they are sound, then passes everything on. Some servers answer WAV whatever was requested; so the
 * sink is told the format that came, if it can be decoded here, else the requested one. For samples without a container, the header may say rate and
 * channels.
 */
export class SoundSniffer {
  readonly #format: SoundFormat
  readonly #sink: SoundSink
  #head: Buffer | undefined = Buffer.alloc(0)
  #isText = false
  #samples: SoundFormat | undefined

  constructor(format: SoundFormat, sink: SoundSink) {
    this.#format = format
    this.#sink = sink
  }

  /** Call with the headers of the answer, where they say what its samples are. Throws `UpstreamError` for samples that nobody plays. */
  begin(headers: ReplyHeaders): void {
    this.#samples = samplesOf(headers)
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (!this.#head) return this.#sink.write(chunk)
    this.#head = Buffer.concat([this.#head, chunk])
    const enough = this.#format.encoding === 'pcm' ? framesBytes : headBytes
    if (this.#head.length >= enough && !this.#isText) await this.#decide()
    if (this.#isText && this.#head && this.#head.length > maxTextBytes) throw notSoundError('a long text')
  }

  /** Call at the end of the answer. Returns the text that came in place of sound. Throws `UpstreamError` for an answer without sound. */
  async end(): Promise<string | undefined> {
    if (this.#head && !this.#isText && this.#head.length > 0) await this.#decide()
    if (!this.#head) return undefined
    if (this.#head.length === 0) throw notSoundError('nothing')
    return this.#head.toString('utf8')
  }

  async #decide(): Promise<void> {
    const head = this.#head!
    if (looksLikeText(head)) {
      this.#isText = true
      return
    }
    const format = this.#formatOf(sniff(head))
    this.#head = undefined
    this.#sink.begin(format)
    await this.#sink.write(head)
  }

  #formatOf(found: string | undefined): SoundFormat {
    const requested = this.#format
    const { encoding } = requested
    if (found === undefined) {
      if (encoding === 'pcm') return { ...requested, ...this.#samples }
      if (this.#samples) return this.#samples
      // A single frame of an mp3 cannot be distinguished from samples.
      if (encoding === 'mp3') return requested
    }
    const received = decodable[found ?? '']
    if (received) return received === encoding ? requested : { encoding: received }
    if (encoding === 'aac' && (found === 'audio/aac' || found === 'audio/mp4')) return requested
    throw notSoundError(found ?? 'bytes of no known type')
  }
}

const fastestHz = 384_000
const maxChannels = 8
/** The rate where `audio/pcm` names none. */
const usualRate = 24_000

/** The format that `audio/pcm;rate=48000;channels=2` says of samples; undefined for every other type. */
function samplesOf(headers: ReplyHeaders): SoundFormat | undefined {
  const type = headerOf(headers, 'content-type')?.toLowerCase() ?? ''
  if (!/^audio\/(pcm|l16)\s*(;|$)/.test(type)) return undefined
  const rate = figureIn(/;\s*rate\s*=\s*"?(\d{1,9})/.exec(type))
  const channels = figureIn(/;\s*channels\s*=\s*"?(\d{1,9})/.exec(type))
  if (rate === undefined && channels === undefined) return undefined
  const format = { encoding: 'pcm' as const, rate: rate ?? usualRate, channels: channels ?? 1 }
  if (format.rate < 1_000 || format.rate > fastestHz || format.channels < 1 || format.channels > maxChannels)
    throw notSoundError(`samples at ${format.rate} Hz in ${format.channels} channels`)
  return format
}

const figureIn = (found: RegExpExecArray | null): number | undefined => (found ? Number(found[1]) : undefined)

/** Whether the bytes are JSON or a page: sound never begins so, and silence in samples is zeros. */
const looksLikeText = (head: Buffer): boolean =>
  /^\s*(\{"|\{\s|<!doctype|<html|<\?xml)/i.test(head.toString('latin1'))

const notSoundError = (what: string): UpstreamError =>
  new UpstreamError('malformed', { detail: `an answer of ${what} in place of the sound` })

/** The fault that a text in place of sound describes. */
export function faultIn(text: string, secrets: readonly string[]): UpstreamError {
  try {
    const answer: unknown = JSON.parse(text)
    if (isRecord(answer) && answer['error'] != null) return faultOfError(answer['error'], secrets)
  } catch {
    // The text is a page, or JSON that was cut.
  }
  return notSoundError('a text')
}
