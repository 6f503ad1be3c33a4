/** Runs functions on separate hosts: each cloud on one of them, or on the next one while that is away. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { CloudKey } from '#cloud/clouds'
import { ChannelClient } from '#platform/channel'
import { Failure, fail } from '#platform/errors'
import type {
  CloudProgram,
  FunctionAnswer,
  FunctionCall,
  FunctionRuntime,
  RuntimeState,
  TryResult,
} from '../functions.ts'
import { passBody } from '../pass-body.ts'
import type { HostAddress } from './host-address.ts'
import {
  type AnswerHead,
  answerHeader,
  asHeader,
  type CallHead,
  callHeader,
  channelKey,
  fromHeader,
  goAhead,
  noHost,
  paths,
  readJson,
  receivedFailure,
  type SentFailure,
} from './messages.ts'
import { PlatformLink, type PlatformServices } from './platform-link.ts'

/** How long a host has to take a call. */
const acceptMs = 5_000
const tryMs = 60_000

export const openRemoteFunctions = (hosts: readonly HostAddress[], side: PlatformServices): FunctionRuntime =>
  new RemoteRuntime(hosts, side)

class RemoteRuntime implements FunctionRuntime {
  readonly #hosts: readonly Host[]
  /** When the links were opened for the first time: calls at the start wait for them. */
  readonly #openedMs = performance.now()

  constructor(hosts: readonly HostAddress[], side: PlatformServices) {
    this.#hosts = hosts.map((address) => new Host(address, side))
    side.metrics.functionHosts.setSource(() => {
      const counts = new Map<string, number>()
      for (const { link } of this.#hosts) {
        const state = link.state?.kind ?? 'away'
        counts.set(state, (counts.get(state) ?? 0) + 1)
      }
      return [...counts].map(([state, count]) => [{ state }, count] as const)
    })
  }

  async state(): Promise<RuntimeState> {
    await this.#waitForLinks()
    const states = this.#hosts.flatMap(({ link }) => link.state ?? [])
    const runs = states.find(({ kind }) => kind !== 'refused')
    return runs ?? states[0] ?? { kind: 'refused', why: noHost }
  }

  async tryOut(program: CloudProgram, name: string): Promise<TryResult> {
    // Trying out runs no handler and sends no request, so it may be done again on another host.
    for (const host of await this.#rankedHosts(program)) {
      const answer = await host.post<{ tried: TryResult; failure?: SentFailure }>(program, paths.tryOut, {
        program,
        name,
      })
      if (answer?.failure) throw receivedFailure(answer.failure)
      if (answer) return answer.tried
    }
    return fail('FUNCTIONS_UNAVAILABLE', { why: noHost })
  }

  async call(call: FunctionCall): Promise<FunctionAnswer> {
    for (const host of await this.#rankedHosts(call)) {
      const taken = await host.offer(call)
      if (taken) return receiveAnswer(taken, call)
      call.signal.throwIfAborted()
    }
    return fail('FUNCTIONS_UNAVAILABLE', { why: noHost })
  }

  /** Asks the connected hosts; one that is away has forgotten the cloud when it comes back. */
  async forget({ accountId, cloudId }: CloudKey): Promise<void> {
    const cloud = { accountId, cloudId }
    const connected = this.#hosts.filter(({ link }) => link.state)
    await Promise.all(connected.map((host) => host.post(cloud, paths.forget, cloud)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host[Symbol.asyncDispose]()))
  }

  /** The hosts that can run functions, the cloud's own first: the one with the highest hash of host and cloud (rendezvous hashing). */
  async #rankedHosts({ cloudId }: CloudKey): Promise<Host[]> {
    await this.#waitForLinks()
    return this.#hosts
      .filter(({ link }) => link.state !== undefined && link.state.kind !== 'refused')
      .map((host) => ({ host, rank: createHash('sha256').update(`${host.url} ${cloudId}`).digest('hex') }))
      .toSorted((one, other) => (one.rank < other.rank ? 1 : -1))
      .map(({ host }) => host)
  }

  async #waitForLinks(): Promise<void> {
    const links = this.#hosts.map(({ link }) => link)
    const mayOpen = () => links.every(({ state }) => !state) && links.some(({ wasOpen }) => !wasOpen)
    while (mayOpen() && performance.now() - this.#openedMs < acceptMs)
      await new Promise((resolve) => setTimeout(resolve, 50).unref())
  }
}

interface TakenCall {
  sent: ClientRequest
  response: Promise<IncomingMessage>
}

class Host implements AsyncDisposable {
  readonly url: string
  readonly link: PlatformLink
  readonly #client: ChannelClient

  constructor({ url, key }: HostAddress, side: PlatformServices) {
    this.url = url
    this.#client = new ChannelClient(url, channelKey(key))
    this.link = new PlatformLink(side, this.#client, new URL(url).host)
  }

  /**
   * Offers a call to the host. Undefined where the host has not taken it: then nothing of it has run. Nobody knows whether a call that was taken has
   * run, so it is never repeated.
   */
  async offer({ body, signal, ...head }: FunctionCall): Promise<TakenCall | undefined> {
    this.link.allow(head)
    const sentHead: CallHead = { ...head, hasBody: body !== undefined, link: this.link.id }
    const sent = this.#client.request({
      method: 'POST',
      path: paths.call,
      headers: { [callHeader]: asHeader(sentHead), expect: '100-continue', 'transfer-encoding': 'chunked' },
    })
    const accepted = Promise.withResolvers<boolean>()
    const response = once(sent, 'response').then(([message]) => message as IncomingMessage)
    response.catch(() => {})
    sent.once('continue', () => accepted.resolve(true))
    sent.once('response', () => accepted.resolve(false))
    sent.on('error', () => accepted.resolve(false))
    const timer = setTimeout(() => sent.destroy(), acceptMs)
    const leave = (): void => void sent.destroy()
    signal.addEventListener('abort', leave, { once: true })
    sent.once('close', () => signal.removeEventListener('abort', leave))
    sent.flushHeaders()
    const isTaken = await accepted.promise
    clearTimeout(timer)
    if (!isTaken) {
      sent.destroy()
      return undefined
    }
    sent.write(goAhead)
    if (body) passBody(body, sent)
    else sent.end()
    return { sent, response }
  }

  /** The answer of the host; undefined where there is none. */
  async post<Value>(cloud: CloudKey, path: string, value: object): Promise<Value | undefined> {
    this.link.allow(cloud)
    const sent = this.#client.request({ method: 'POST', path })
    const timer = setTimeout(() => sent.destroy(), tryMs)
    try {
      sent.end(JSON.stringify({ ...value, link: this.link.id }))
      const [response] = await once(sent, 'response')
      return response.statusCode === 200 ? await readJson<Value>(response, 1_000_000) : undefined
    } catch {
      return undefined
    } finally {
      clearTimeout(timer)
      sent.destroy()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.link[Symbol.asyncDispose]()
    this.#client[Symbol.dispose]()
  }
}

async function receiveAnswer(
  { sent, response }: TakenCall,
  { signal }: FunctionCall,
): Promise<FunctionAnswer> {
  const message = await response.catch(() => {
    signal.throwIfAborted()
    throw new Failure('FUNCTION_HOST_LOST', {}, { executed: true })
  })
  const head = fromHeader<AnswerHead & { failure?: SentFailure }>(message.headers[answerHeader])
  if (head.failure) {
    sent.destroy()
    throw receivedFailure(head.failure)
  }
  return { status: head.status, headers: head.headers, body: message }
}
