/** The endpoint of a process, which its first user opens. */
import type { Log } from '#platform/log'
import type { WebRtcOptions } from './endpoint.ts'
import { openWebRtc } from './open.ts'
import type { WebRtc } from './peer.ts'
import type { WebRtcConfig } from './settings.ts'

/** The pause after a failure to open, in which nobody tries again. */
const againMs = 5_000

export class LazyWebRtc implements AsyncDisposable {
  readonly #config: WebRtcConfig
  readonly #log: Log
  readonly #options: WebRtcOptions
  #opening: Promise<WebRtc | undefined> | undefined
  #failedMs = Number.NEGATIVE_INFINITY
  #isOver = false

  constructor(config: WebRtcConfig, log: Log, options: WebRtcOptions) {
    this.#config = config
    this.#log = log
    this.#options = options
  }

  /** Opens the endpoint. Undefined if that fails, which is logged: no port of the range is free, or an address is not this machine's. */
  open(): Promise<WebRtc | undefined> {
    if (this.#isOver || performance.now() - this.#failedMs < againMs) return Promise.resolve(undefined)
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<WebRtc | undefined> {
    try {
      return await openWebRtc(this.#config, this.#options)
    } catch (error) {
      const { ports, listen } = this.#config
      this.#log.error(
        { err: error, ports, listen },
        'WebRTC could not be opened: calls work over WebSocket only',
      )
      this.#failedMs = performance.now()
      this.#opening = undefined
      return undefined
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await (await this.#opening)?.[Symbol.asyncDispose]()
  }
}
