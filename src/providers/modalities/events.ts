/** Reads a streamed answer in sound: `delta.audio` brings samples and transcript piece by piece. */

import { type SpeechResult, UpstreamError } from '#core/spec'
import { decodeBase64InSlices } from '#platform/bytes'
import { readJsonSync } from '#platform/json'
import { isRecord, mediaTokens, type SoundSniffer, SseReader } from '#providers/kit'
import { choiceOf, malformed } from './choice.ts'

export class SpeechEvents {
  readonly #start: SoundSniffer
  readonly #secrets: readonly string[]
  readonly #events: SseReader
  /** Events that have come and have not been read yet. */
  #waiting: string[] = []
  #bytes = 0
  #transcript = ''
  #usage: SpeechResult['usage']
  #isFinished = false

  constructor(start: SoundSniffer, secrets: readonly string[]) {
    this.#start = start
    this.#secrets = secrets
    this.#events = new SseReader((data) => this.#waiting.push(data))
  }

  write(chunk: Uint8Array): Promise<void> {
    this.#events.push(chunk)
    return this.#read()
  }

  /** Call at the end of the stream. Throws `UpstreamError` for a stream that is not whole. */
  async end(): Promise<SpeechResult> {
    this.#events.end()
    await this.#read()
    if (!this.#isFinished)
      throw new UpstreamError('cut', { detail: 'the answer ended without a finish reason' })
    if (this.#bytes === 0) throw malformed('an answer without sound')
    if (this.#bytes % 2 !== 0) throw malformed('half a sample')
    return {
      ...(this.#transcript !== '' && { transcript: this.#transcript }),
      ...(this.#usage && { usage: this.#usage }),
    }
  }

  async #read(): Promise<void> {
    const events = this.#waiting
    this.#waiting = []
    for (const data of events) if (data.trim() !== '[DONE]') await this.#event(data)
  }

  async #event(data: string): Promise<void> {
    const chunk = parsed(data)
    const choice = choiceOf(chunk, this.#secrets)
    this.#usage = mediaTokens(chunk['usage']) ?? this.#usage
    if (!choice) return
    if (choice.isFinished) this.#isFinished = true
    const { audio } = choice.message
    if (!isRecord(audio)) return
    if (typeof audio['transcript'] === 'string') this.#transcript += audio['transcript']
    if (typeof audio['data'] !== 'string' || audio['data'] === '') return
    const bytes = await decodeBase64InSlices(audio['data'])
    if (!bytes) throw malformed('sound that is not Base64')
    this.#bytes += bytes.length
    await this.#start.write(bytes)
  }
}

function parsed(data: string): Record<string, unknown> {
  try {
    const value = readJsonSync(data)
    if (isRecord(value)) return value
  } catch {
    // The parser's own error is dropped, since its text quotes the answer.
  }
  throw malformed('an event that is not JSON')
}
