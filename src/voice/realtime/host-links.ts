/** Links this process to others that hold calls, over the channel that all processes with one KHERAD_SECRET share. */
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { ChannelClient, type ChannelKey } from '#platform/channel'
import type { CallRegistryApp } from './app.ts'
import { addressOf, freeProcesses, totalCapacity } from './process-store.ts'

/** The version of the messages on the channel, raised with every change of them: processes of different versions pass each other no calls. */
export const hostVersion = '1'

export const hostKey = (secret: string): ChannelKey => ({ secret, label: 'processes of calls' })

/** The process that is meant, and the version of the sender: an address may have been another process's, or mean another machine there. */
export const hostHeaders = { process: 'x-process', version: 'x-version' } as const

/** The statuses of a host that has begun nothing: it is not the process that was meant; it has another version. */
export const hostRefusals = { otherProcess: 421, otherVersion: 409 } as const

/** Another process that holds calls. */
export interface RemoteVoiceHost {
  processId: string
  address: string
}

/** The host had the whole request and did not answer: only its rows show what it did. */
export class HostLost extends Error {
  override name = 'HostLost'
}

/** How long a host may take to accept a request; before that nothing has begun, so that another host may be asked. */
const takeMs = 3_000
const answerMs = 30_000
/** The most remembered addresses. Each start of a process may have another one; a forgotten one keeps no connection. */
const maxClients = 64

export class HostLinks implements Disposable {
  readonly #app: Pick<CallRegistryApp, 'db' | 'log' | 'processes'>
  readonly #key: ChannelKey | undefined
  readonly #clients = new Map<string, ChannelClient>()

  /** @param secret KHERAD_SECRET; without one this process reaches no other */
  constructor(app: Pick<CallRegistryApp, 'db' | 'log' | 'processes'>, secret: string | undefined) {
    this.#app = app
    this.#key = secret === undefined ? undefined : hostKey(secret)
  }

  /** Other processes that can take a further call, the least busy first. */
  async freeHosts(): Promise<RemoteVoiceHost[]> {
    if (!this.#key) return []
    const { db, processes } = this.#app
    const rows = await freeProcesses(db, processes.leaseMs)
    return rows.flatMap(({ process_id: processId, address }) =>
      address === null || processId === processes.id ? [] : [{ processId, address }],
    )
  }

  /** How many calls all processes together hold at a time. */
  totalCapacity(): Promise<number> {
    const { db, processes } = this.#app
    return totalCapacity(db, processes.leaseMs)
  }

  /** The living process of this id; undefined where it is not reachable. */
  async findHost(processId: string): Promise<RemoteVoiceHost | undefined> {
    if (!this.#key) return undefined
    const { db, processes } = this.#app
    const address = await addressOf(db, processId, processes.leaseMs)
    return address === undefined ? undefined : { processId, address }
  }

  /** The host's answer; undefined where it did not accept the request. Throws HostLost, and the reason of an aborted `signal`. */
  async post(
    host: RemoteVoiceHost,
    path: string,
    body: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const bytes = Buffer.from(body)
    const sent = this.#clientOf(host).request({
      method: 'POST',
      path,
      headers: {
        ...headersFor(host),
        // Calls begin rarely: a firewall may have dropped a kept connection, and the host would seem to be away.
        ...{ connection: 'close', expect: '100-continue', 'content-length': String(bytes.length) },
      },
    })
    const leave = (): void => void sent.destroy()
    signal?.addEventListener('abort', leave, { once: true })
    try {
      if (!(await this.#isTaken(sent, host))) return undefined
      sent.end(bytes)
      return await answerOf(sent)
    } catch (cause) {
      signal?.throwIfAborted()
      throw new HostLost('a process of calls broke off', { cause })
    } finally {
      signal?.removeEventListener('abort', leave)
      sent.destroy()
    }
  }

  /** A connection of its own, which is not yet open. */
  connect(host: RemoteVoiceHost): TLSSocket {
    return this.#clientOf(host).connect()
  }

  /** Call when a host refused without having begun anything. */
  logRefusal(host: RemoteVoiceHost, status: number | undefined): void {
    if (status === hostRefusals.otherVersion)
      this.#app.log.error(
        { address: host.address },
        'a process of calls has another version of Kherad: no call is passed to it; start both with the same one',
      )
  }

  async #isTaken(sent: ClientRequest, host: RemoteVoiceHost): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    sent.once('continue', () => resolve(true))
    sent.once('response', ({ statusCode }: IncomingMessage) => {
      this.logRefusal(host, statusCode)
      resolve(false)
    })
    sent.on('error', (error) => {
      this.#app.log.debug({ err: error, address: host.address }, 'a process of calls is not reached')
      resolve(false)
    })
    sent.once('close', () => resolve(false))
    const timer = setTimeout(() => resolve(false), takeMs)
    sent.flushHeaders()
    const isTaken = await promise
    clearTimeout(timer)
    return isTaken
  }

  #clientOf({ address }: RemoteVoiceHost): ChannelClient {
    const known = this.#clients.get(address)
    if (known) return known
    if (this.#clients.size >= maxClients) this.#clients.delete(this.#clients.keys().next().value!)
    const client = new ChannelClient(address, this.#key!)
    this.#clients.set(address, client)
    return client
  }

  [Symbol.dispose](): void {
    for (const client of this.#clients.values()) client[Symbol.dispose]()
    this.#clients.clear()
  }
}

export const headersFor = ({ processId }: RemoteVoiceHost): Record<string, string> => ({
  [hostHeaders.process]: processId,
  [hostHeaders.version]: hostVersion,
})

async function answerOf(sent: ClientRequest): Promise<string> {
  const [response] = (await once(sent, 'response', { signal: AbortSignal.timeout(answerMs) })) as [
    IncomingMessage,
  ]
  if (response.statusCode !== 200) throw new Error(`the answer has the status ${response.statusCode}`)
  return text(response)
}
