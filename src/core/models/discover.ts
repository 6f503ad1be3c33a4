import type { Outbound } from '#platform/proxy'
import type { AnyModel } from './kinds/kinds.ts'
import {
  findTranscriber,
  type LocalServer,
  type LocalTranscriber,
  localServers,
} from './local-transcribers.ts'
import { listOllama } from './ollama.ts'
import type { ProviderConfig } from './provider-settings.ts'
import { readyMade } from './ready-made.ts'
import type { VendorKeys } from './settings.ts'

/** Providers and models that are not in the configuration file: from vendor keys of the environment, and from local servers. */
export interface Discovery {
  providers: ProviderConfig[]
  models: AnyModel[]
  /** Addresses that were named (`OLLAMA_HOST` and its like) and did not answer; printed at the start. */
  silent: string[]
}

const defaultOllamaHost = 'http://127.0.0.1:11434'

/** Servers at usual addresses have this long to answer, so that their absence costs nothing; named ones have longer. */
const defaultHostTimeoutMs = 300
const namedHostTimeoutMs = 3_000

/** Runs once at the start; all local servers are queried at once. */
export async function discover(vendors: VendorKeys, outbound: Outbound): Promise<Discovery> {
  const named = vendors.ollamaHost
  const host = named ?? defaultOllamaHost
  const [ollama, ...transcribers] = await Promise.all([
    listOllama(
      host,
      named === undefined ? defaultHostTimeoutMs : namedHostTimeoutMs,
      outbound.egressTo(host),
    ),
    ...Object.keys(localServers).map((server) => findLocal(server as LocalServer, vendors, outbound)),
  ])
  const ready = readyMade(vendors)
  const found = transcribers.flatMap(({ found }) => found ?? [])
  return {
    providers: [
      ...ready.providers,
      ...(ollama ? [ollama.provider] : []),
      ...found.map(({ provider }) => provider),
    ],
    models: [...ready.models, ...(ollama?.models ?? []), ...found.flatMap(({ models }) => models)],
    silent: [
      ...(named !== undefined && !ollama ? [named] : []),
      ...transcribers.flatMap(({ silent }) => silent ?? []),
    ],
  }
}

async function findLocal(
  server: LocalServer,
  { localHosts }: VendorKeys,
  outbound: Outbound,
): Promise<{ found?: LocalTranscriber; silent?: string }> {
  const named = localHosts?.[server]
  const host = named ?? localServers[server]
  const found = await findTranscriber(
    server,
    host,
    named === undefined ? defaultHostTimeoutMs : namedHostTimeoutMs,
    outbound.egressTo(host),
  )
  return found ? { found } : named === undefined ? {} : { silent: named }
}
