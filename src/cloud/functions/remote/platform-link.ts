/** The API's link to one host of functions, which is opened again whenever it ends. */
import { once } from 'node:events'
import type { ClientRequest } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { CloudKey } from '#cloud/clouds'
import type { ChannelClient } from '#platform/channel'
import type { Clock } from '#platform/clock'
import { randomBase62 } from '#platform/ids'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { FunctionSource, RuntimeState } from '../functions.ts'
import { pingMs, silentMs as usualSilentMs } from './host-link.ts'
import {
  encodeLine,
  lineReader,
  type MessageToHost,
  type MessageToPlatform,
  paths,
  sentFailure,
} from './messages.ts'

export interface PlatformServices {
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'functionHosts'>
  version: string
  source: FunctionSource
  egress: {
    take(cloud: CloudKey, bytes: number): boolean | Promise<boolean>
    refund(cloud: CloudKey, bytes: number): void
  }
  /** A host that says nothing for this long is away; default 30 s. */
  silentMs?: number
  /** What the host needs to know of this platform. */
  hello: () => Promise<
    Pick<Extract<MessageToHost, { kind: 'hello' }>, 'depths' | 'platformOrigins' | 'pathOrigins'>
  >
}

/** Pauses between attempts double up to this. */
const maxPauseMs = 10_000
const minPauseMs = 200
/** For how long after its last call a host may ask about a cloud. */
const knownMs = 60 * 60 * 1000
const maxKnown = 50_000

export class PlatformLink implements AsyncDisposable {
  readonly id = randomBase62(22)
  readonly #side: PlatformServices
  readonly #client: ChannelClient
  readonly #name: string
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  /** Clouds of which something was sent to this host, and until when the host may ask about them; of others it learns nothing. */
  readonly #clouds = new Map<string, { cloud: CloudKey; untilMs: number }>()
  #sending: ClientRequest | undefined
  #state: RuntimeState | undefined
  #wasOpen = false

  constructor(side: PlatformServices, client: ChannelClient, name: string) {
    this.#side = side
    this.#client = client
    this.#name = name
    this.#running = this.#keepOpen()
  }

  /** What the host can run. Undefined: it cannot be reached now. */
  get state(): RuntimeState | undefined {
    return this.#state
  }

  /** Whether the host has once said what it can run, whether it is there now or not. */
  get wasOpen(): boolean {
    return this.#wasOpen
  }

  /** Allows the host to ask about this cloud; called before something of the cloud is sent to it. */
  allow({ accountId, cloudId }: CloudKey): void {
    this.#clouds.delete(cloudId)
    this.#clouds.set(cloudId, { cloud: { accountId, cloudId }, untilMs: performance.now() + knownMs })
    if (this.#clouds.size > maxKnown) this.#clouds.delete(this.#clouds.keys().next().value!)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#sending?.destroy()
    await this.#running
  }

  async #keepOpen(): Promise<void> {
    const { signal } = this.#stop
    for (let pauseMs = minPauseMs; !signal.aborted; ) {
      const wasOpen = await this.#open()
      if (signal.aborted) return
      pauseMs = wasOpen ? minPauseMs : Math.min(maxPauseMs, 2 * pauseMs)
      await pause(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Opens one connection and serves it until its end. Returns whether there was one. */
  async #open(): Promise<boolean> {
    let hello: Awaited<ReturnType<PlatformServices['hello']>>
    try {
      hello = await this.#side.hello()
    } catch (error) {
      this.#side.log.warn(
        { err: error },
        'this platform could not be announced to the hosts of functions; it is tried again',
      )
      return false
    }
    const sending = this.#client.request({ method: 'POST', path: paths.link })
    this.#sending = sending
    sending.on('error', () => {})
    const { silentMs = usualSilentMs } = this.#side
    // Where a network was cut, calls under way would wait for a quarter of an hour, and the next ones would take connections that lead nowhere.
    let silent: Error | undefined
    const giveUp = (): void => {
      silent = new Error(`it said nothing for ${silentMs / 1_000} s`)
      sending.destroy(silent)
      this.#client.closeConnections()
    }
    let silence = setTimeout(giveUp, silentMs)
    const pings = setInterval(() => this.#send({ kind: 'ping' }), pingMs)
    try {
      this.#send({ kind: 'hello', link: this.id, version: this.#side.version, ...hello })
      const [response] = await once(sending, 'response', { signal: this.#stop.signal })
      await pipeline(response, lineReader(), async (lines: AsyncIterable<MessageToPlatform>) => {
        for await (const received of lines) {
          clearTimeout(silence)
          silence = setTimeout(giveUp, silentMs)
          this.#receive(received)
        }
      })
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#reportLost(silent ?? error)
    } finally {
      clearTimeout(silence)
      clearInterval(pings)
      sending.destroy()
    }
    const wasOpen = this.#state !== undefined
    this.#state = undefined
    return wasOpen
  }

  #reportLost(error: unknown): void {
    const { code = '' } = error as NodeJS.ErrnoException
    const what = /^(EPROTO|ERR_SSL)/.test(code)
      ? 'a host of functions has another key than functions.hosts, or is none'
      : 'a host of functions cannot be reached'
    this.#side.log.warn({ err: error, host: this.#name }, `${what}; it is tried again`)
  }

  #send(message: MessageToHost): void {
    if (this.#sending && !this.#sending.destroyed) this.#sending.write(encodeLine(message))
  }

  #receive(message: MessageToPlatform): void {
    if (message.kind === 'state') this.#setState(message)
    else if (message.kind === 'program')
      void this.#answer(message.id, async () => {
        const cloud = this.#own(message.cloud)
        return (
          cloud && ((await this.#side.source.program({ ...cloud, revision: message.cloud.revision })) ?? null)
        )
      })
    else if (message.kind === 'egress')
      void this.#answer(message.id, async () => {
        const cloud = this.#own(message.cloud)
        return cloud && isCount(message.bytes) ? this.#side.egress.take(cloud, message.bytes) : false
      })
    else if (message.kind === 'refund') {
      const cloud = this.#own(message.cloud)
      if (cloud && isCount(message.bytes)) this.#side.egress.refund(cloud, message.bytes)
    } else if (message.kind === 'log') {
      const cloud = this.#own(message.cloud)
      const at = new Date(this.#side.clock.nowMs())
      if (cloud)
        this.#side.source.log(
          cloud,
          message.lines.map((one) => ({ ...one, at })),
        )
    }
  }

  /** Refuses a host of another version, which would read messages differently. */
  #setState({ state, version }: Extract<MessageToPlatform, { kind: 'state' }>): void {
    if (version === this.#side.version) {
      const before = this.#state
      this.#state = state
      this.#wasOpen = true
      if (state.kind === 'refused' && before?.kind !== 'refused')
        this.#side.log.warn({ host: this.#name, why: state.why.en }, 'a host of functions runs none')
      return
    }
    this.#side.log.error(
      { host: this.#name, version },
      'a host of functions has another version than this process; start both with the same',
    )
    this.#sending?.destroy()
  }

  #own({ cloudId }: CloudKey): CloudKey | undefined {
    const known = this.#clouds.get(cloudId)
    return known && known.untilMs > performance.now() ? known.cloud : undefined
  }

  async #answer(id: number, answer: () => Promise<unknown>): Promise<void> {
    try {
      this.#send({ kind: 'answer', id, value: (await answer()) ?? null })
    } catch (error) {
      this.#send({ kind: 'refusal', id, failure: sentFailure(error) })
    }
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
