/**
 * All that functions send goes through here, over a Unix socket that each cloud has for itself: to the public internet, to the cloud's own
 * address and to the platform's `/v1`, and to nothing else (docs/decisions/cloud/functions.md).
 */
import type { CloudKey, LiveCloud } from '#cloud/clouds'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { GuardedNet } from '#platform/net'
import type { Signer } from '#platform/secrets'
import { openEgressSocket } from './egress-socket.ts'
import type { PlatformListeners } from './inside.ts'
import type { EgressCall } from './running-calls.ts'
import './phrases.ts'

export {
  type DepthSignatures,
  depthHeader,
  depthPurpose,
  depthSignatures,
  maxCallDepth,
  readDepth,
  signerFrom,
} from './call-depth.ts'
export { invocationHeader, protocolHeader, refusalHeader } from './headers.ts'
export { ownListeners, type PlatformListeners } from './inside.ts'
export type { EgressCall } from './running-calls.ts'

/** Counts the bytes that a cloud may send in a day (UTC). */
export interface EgressMeter {
  /** Spends bytes. False where the day's limit does not allow them; then nothing is spent. */
  take(bytes: number): boolean | Promise<boolean>
}

export interface BrokerLimits {
  /** Requests that one call of a function of a Starter cloud may send, redirects included; a dedicated one five times as many. */
  perCall: number
  /** Requests of one cloud that are under way at once; more wait. */
  atOnce: number
  /** Connections of one cloud; more are closed at once. */
  connections: number
  /** Requests of all clouds that are open here; more are refused. */
  inAll: number
  /** Bytes of the body of one request, and of one answer. */
  bodyBytes: number
  /** The longest time of one request, waiting included. */
  totalMs: number
  /** The longest time until there is a connection. */
  connectMs: number
  /** The longest pause within an answer. */
  idleMs: number
  /** The longest time for the headers of a request. */
  headersMs: number
}

const standardLimits: BrokerLimits = {
  perCall: 20,
  atOnce: 32,
  connections: 128,
  inAll: 2_000,
  bodyBytes: 10_000_000,
  totalMs: 150_000,
  connectMs: 15_000,
  idleMs: 60_000,
  headersMs: 10_000,
}

export interface BrokerOptions {
  net: Pick<GuardedNet, 'stream'>
  log: Log
  metrics: Pick<Metrics, 'functionFetches' | 'functionFetchesOpen'>
  /** Called at every request, since the system may choose ports. */
  listeners: () => PlatformListeners
  /** The signer of how deep calls are, needed for requests to the platform itself. */
  depthSigner: () => Promise<Signer>
  egressOf: (cloud: CloudKey) => EgressMeter
  limits?: Partial<BrokerLimits>
}

export interface BrokeredCloud extends CloudKey {
  ref: string
  plan: LiveCloud['plan']
  cloudUrl: string
}

/** The socket through which the functions of one cloud send. Disposing breaks off what is under way and deletes the socket. */
export interface CloudEgress extends AsyncDisposable {
  readonly socketPath: string
  /**
   * Begins a call of a function. Its requests bear `id` in the header `invocationHeader`, which the wrapper of functions sets on every `fetch`; the
   * id is a secret of this one call.
   */
  begin(id: string, depth: number): EgressCall
}

export interface Broker extends AsyncDisposable {
  /**
   * Listens on a Unix socket, which workerd names as external service of `globalOutbound` with `style = host` and
   * `forwardedProtoHeader = protocolHeader`. The path must not be longer than the system allows (107 bytes); only this user may open it.
   */
  open(cloud: BrokeredCloud, socketPath: string): Promise<CloudEgress>
}

export function openBroker({ limits, ...options }: BrokerOptions): Broker {
  const shared = { ...options, limits: { ...standardLimits, ...limits }, openInAll: 0 }
  const sockets = new Set<CloudEgress>()
  return {
    async open(cloud, socketPath) {
      const socket = await openEgressSocket(shared, cloud, socketPath)
      const egress: CloudEgress = {
        socketPath,
        begin: (id, depth) => socket.begin(id, depth),
        async [Symbol.asyncDispose]() {
          sockets.delete(egress)
          await socket[Symbol.asyncDispose]()
        },
      }
      sockets.add(egress)
      return egress
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...sockets].map((socket) => socket[Symbol.asyncDispose]()))
    },
  }
}
