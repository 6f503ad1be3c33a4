/** The links of a host of functions to the API, one for each of its processes. Over them the host gets programs and allowances, and sends logs. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { CloudKey } from '#cloud/clouds'
import { Failure } from '#platform/errors'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { CloudProgram, FunctionSource, LogLine, RuntimeState } from '../functions.ts'
import { droppedLines, dropReasons } from '../logs/phrases.ts'
import { prefixIn } from '../settings.ts'
import {
  encodeLine,
  lineReader,
  type MessageToHost,
  type MessageToPlatform,
  type ProgramValue,
  receivedFailure,
} from './messages.ts'

export const pingMs = 5_000
export const silentMs = 30_000
const askMs = 15_000
/** The most bytes that wait for an API that does not read; beyond that, log lines are dropped. */
const maxWaitingBytes = 8 * 1024 * 1024
const maxClouds = 20_000

export type HelloMessage = Extract<MessageToHost, { kind: 'hello' }>
type HostRequest =
  | { kind: 'program'; cloud: CloudKey & { revision: number } }
  | { kind: 'egress'; cloud: CloudKey; bytes: number }

/** The link to one process of the API. */
class HostLink {
  readonly #response: ServerResponse
  readonly #metrics: Pick<Metrics, 'channelDroppedLines'>
  readonly #answers = new Map<number, PromiseWithResolvers<unknown>>()
  #nextId = 1
  #dropped = 0
  hello: HelloMessage | undefined

  constructor(response: ServerResponse, metrics: Pick<Metrics, 'channelDroppedLines'>) {
    this.#response = response
    this.#metrics = metrics
  }

  get isOpen(): boolean {
    return !this.#response.destroyed
  }

  send(message: MessageToPlatform): void {
    if (this.isOpen) this.#response.write(encodeLine(message))
  }

  /** Asks the API. Throws what it refuses with, and FUNCTION_API_AWAY where it does not answer. */
  async ask(request: HostRequest): Promise<unknown> {
    const id = this.#nextId++
    const answer = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => answer.reject(undefined), askMs)
    this.#answers.set(id, answer)
    this.send({ ...request, id })
    if (!this.isOpen) answer.reject(undefined)
    try {
      return await answer.promise
    } catch (error) {
      throw error ?? unavailable()
    } finally {
      clearTimeout(timer)
      this.#answers.delete(id)
    }
  }

  log(cloud: CloudKey, lines: readonly LogLine[]): void {
    if (this.#response.writableLength > maxWaitingBytes) {
      this.#dropped += lines.length
      this.#metrics.channelDroppedLines.inc(lines.length)
      return
    }
    const kept = [...lines, ...this.#droppedLine(lines)]
    this.send({ kind: 'log', cloud, lines: kept.map(({ at: _, ...one }) => one) })
  }

  receive(message: MessageToHost): void {
    if (message.kind === 'hello') this.hello = message
    else if (message.kind === 'answer') this.#answers.get(message.id)?.resolve(message.value)
    else if (message.kind === 'refusal')
      this.#answers.get(message.id)?.reject(receivedFailure(message.failure))
  }

  close(): void {
    this.#response.destroy()
    for (const answer of this.#answers.values()) answer.reject(undefined)
  }

  #droppedLine([first]: readonly LogLine[]): LogLine[] {
    if (this.#dropped === 0 || !first) return []
    const message = prefixIn(first.message) + droppedLines(this.#dropped, dropReasons.notTaken)
    this.#dropped = 0
    return [{ ...first, level: 'warn', message, requestId: null }]
  }
}

const unavailable = (): Failure => new Failure('FUNCTION_API_AWAY', {}, { retryAfterMs: 2_000 })

export interface HostLinksOptions {
  log: Log
  metrics: Pick<Metrics, 'channelDroppedLines'>
  state: () => Promise<RuntimeState>
  version: string
  /** The time between two messages with the state. */
  stateMs?: number
}

/** All links, and which of them last called a cloud: that one is asked for what the cloud needs, and no other would answer. */
export class HostLinks implements FunctionSource {
  readonly #links = new Map<string, HostLink>()
  readonly #callers = new Map<string, string>()
  readonly #log: Log
  readonly #metrics: Pick<Metrics, 'channelDroppedLines'>
  readonly #state: () => Promise<RuntimeState>
  readonly #version: string
  readonly #stateMs: number

  constructor(options: HostLinksOptions) {
    this.#log = options.log
    this.#metrics = options.metrics
    this.#state = options.state
    this.#version = options.version
    this.#stateMs = options.stateMs ?? pingMs
  }

  get count(): number {
    return this.#links.size
  }

  /** The newest hello; all links say the same. */
  get hello(): HelloMessage | undefined {
    return [...this.#links.values()].at(-1)?.hello
  }

  /** Serves one connection of the API, from its beginning to its end. */
  async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const link = new HostLink(response, this.#metrics)
    let id: string | undefined
    let silence = setTimeout(() => link.close(), silentMs)
    const states = setInterval(() => void this.#sendState(link), this.#stateMs)
    response.writeHead(200)
    response.on('error', () => {})
    try {
      await pipeline(message, lineReader(), async (lines: AsyncIterable<MessageToHost>) => {
        for await (const received of lines) {
          clearTimeout(silence)
          silence = setTimeout(() => link.close(), silentMs)
          link.receive(received)
          if (received.kind !== 'hello') continue
          id = received.link
          this.#links.set(id, link)
          await this.#sendState(link)
        }
      })
    } catch (error) {
      this.#log.info({ err: error }, 'a line to the API ended')
    } finally {
      clearTimeout(silence)
      clearInterval(states)
      if (id !== undefined && this.#links.get(id) === link) this.#links.delete(id)
      link.close()
    }
  }

  /** Sends the state again and again: a jail that did not hold at the start may hold later, and the API hears that this host is there. */
  async #sendState(link: HostLink): Promise<void> {
    link.send({ kind: 'state', state: await this.#state(), version: this.#version })
  }

  /** Records that a call of this cloud came over this link. */
  recordCall({ cloudId }: CloudKey, link: string): void {
    this.#callers.delete(cloudId)
    this.#callers.set(cloudId, link)
    if (this.#callers.size > maxClouds) this.#callers.delete(this.#callers.keys().next().value!)
  }

  async program(cloud: CloudKey & { revision: number }): Promise<CloudProgram | undefined> {
    const { accountId, cloudId, revision } = cloud
    const value = await this.#ask({ kind: 'program', cloud: { accountId, cloudId, revision } })
    return (value as ProgramValue) ?? undefined
  }

  log({ accountId, cloudId }: CloudKey, lines: readonly LogLine[]): void {
    this.#linkOf(cloudId)?.log({ accountId, cloudId }, lines)
  }

  async takeEgress({ accountId, cloudId }: CloudKey, bytes: number): Promise<boolean> {
    return (await this.#ask({ kind: 'egress', cloud: { accountId, cloudId }, bytes })) === true
  }

  refundEgress({ accountId, cloudId }: CloudKey, bytes: number): void {
    this.#linkOf(cloudId)?.send({ kind: 'refund', cloud: { accountId, cloudId }, bytes })
  }

  close(): void {
    for (const link of this.#links.values()) link.close()
  }

  #linkOf(cloudId: string): HostLink | undefined {
    return this.#links.get(this.#callers.get(cloudId) ?? '')
  }

  async #ask(request: HostRequest): Promise<unknown> {
    const link = this.#linkOf(request.cloud.cloudId)
    if (!link) throw unavailable()
    return link.ask(request)
  }
}
