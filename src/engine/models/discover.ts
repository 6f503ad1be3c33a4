import type { Outbound } from '#platform/proxy'
import type { AnyModel } from './kinds/kinds.ts'
import { listOllama } from './ollama.ts'
import type { ProviderConfig } from './provider-settings.ts'
import { readyMade } from './ready-made.ts'
import type { VendorKeys } from './settings.ts'

/** Providers and models that are not in the configuration file: from vendor keys of the environment, and from a local Ollama. */
export interface Discovery {
  providers: ProviderConfig[]
  models: AnyModel[]
  /** Addresses that were named (`OLLAMA_HOST`) and did not answer; printed at the start. */
  silent: string[]
}

const defaultOllamaHost = 'http://127.0.0.1:11434'

/** Runs once at the start. The default Ollama address gets 300 ms, so that its absence costs nothing; a configured one gets 3 s. */
export async function discover(vendors: VendorKeys, outbound: Outbound): Promise<Discovery> {
  const named = vendors.ollamaHost
  const host = named ?? defaultOllamaHost
  const ollama = await listOllama(host, named === undefined ? 300 : 3_000, outbound.to(host))
  const ready = readyMade(vendors)
  return {
    providers: [...ready.providers, ...(ollama ? [ollama.provider] : [])],
    models: [...ready.models, ...(ollama?.models ?? [])],
    silent: named !== undefined && !ollama ? [named] : [],
  }
}
