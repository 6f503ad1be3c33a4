import { type Dispatcher, request } from 'undici'
import type { Modality } from '#core/turn'
import { isRecord } from '#platform/json'
import { type Egress, openDispatcher } from '#platform/proxy'
import type { Feature, Model } from './models.ts'
import { defaultTimeouts, type ProviderConfig } from './provider-settings.ts'

/** More models than anybody has installed; a bound, because the list comes from outside. */
const maxModels = 100

/**
 * The models of a local Ollama, free by explicit zero; nothing when no server answers within `timeoutMs`.
 * Source: Ollama's API documentation, `/api/tags` and `/api/show`.
 */
export async function listOllama(
  host: string,
  timeoutMs: number,
  egress: Egress,
): Promise<{ provider: ProviderConfig; models: Model[] } | undefined> {
  const dispatcher = openDispatcher(new URL(host).origin, { ...egress, connectMs: timeoutMs })
  try {
    return await listBy(dispatcher, host, timeoutMs)
  } finally {
    await dispatcher.destroy()
  }
}

async function listBy(
  dispatcher: Dispatcher,
  host: string,
  timeoutMs: number,
): ReturnType<typeof listOllama> {
  const tags = await fetchJson(dispatcher, `${host}/api/tags`, timeoutMs)
  if (!isRecord(tags) || !Array.isArray(tags['models'])) return undefined
  const names = tags['models'].slice(0, maxModels).flatMap((tag: unknown) => {
    return isRecord(tag) &&
      typeof tag['name'] === 'string' &&
      /^[A-Za-z0-9][A-Za-z0-9._:/@-]*$/.test(tag['name'])
      ? [tag['name']]
      : []
  })
  const models = await Promise.all(
    names.map((name) => describe(dispatcher, host, name, Math.max(timeoutMs, 2_000))),
  )
  return {
    provider: {
      id: 'ollama',
      baseUrl: `${host}/v1`,
      dialects: ['chat'],
      // A local server loads the model on its first question, which takes longer than a vendor's first byte.
      timeouts: { ...defaultTimeouts, firstByteMs: 180_000, firstTokenMs: 180_000, idleMs: 60_000 },
      onDisconnect: 'cancel',
      headers: {},
      takesLinks: false,
    },
    models: models.flatMap((model) => model ?? []),
  }
}

/** The model as Ollama describes it; undefined for one that cannot generate text (an embedding model). */
async function describe(
  dispatcher: Dispatcher,
  host: string,
  name: string,
  timeoutMs: number,
): Promise<Model | undefined> {
  const shown = await fetchJson(dispatcher, `${host}/api/show`, timeoutMs, { model: name })
  const show = isRecord(shown) ? shown : {}
  const capabilities = Array.isArray(show['capabilities']) ? show['capabilities'] : ['completion']
  if (!capabilities.includes('completion')) return undefined
  const contextLength = contextOf(show['model_info'])
  const features: Feature[] = ['json_schema']
  if (capabilities.includes('tools')) features.push('tools')
  if (capabilities.includes('thinking')) features.push('reasoning')
  const inputModalities: Modality[] = capabilities.includes('vision') ? ['text', 'image'] : ['text']
  return {
    id: `ollama/${name}`,
    kind: 'text',
    displayName: name,
    description: `${name} on the local Ollama server.`,
    ownedBy: 'ollama',
    created: 0,
    sandbox: false,
    deployments: [
      { id: `ollama/${name}`, provider: 'ollama', model: name, weight: 1, priority: 0, wires: ['chat'] },
    ],
    fallbacks: [],
    contextLength,
    maxOutputTokens: Math.min(contextLength, 8_192),
    inputModalities,
    features,
    supportedEfforts: features.includes('reasoning') ? ['none', 'low', 'medium', 'high'] : [],
    pricing: {
      inputPerMillion: 0,
      outputPerMillion: 0,
      cachedInputPerMillion: 0,
      cacheWritePerMillion: 0,
      mediaInputPerMillion: 0,
    },
  }
}

/** More than the window of any model; a larger figure is a defect, and holds and limits are computed from it. */
const maxContextLength = 100_000_000

/** The context window, which stands under the name of the architecture, such as `llama.context_length`. */
function contextOf(info: unknown): number {
  const found = isRecord(info)
    ? Object.entries(info).find(([name]) => name.endsWith('.context_length'))
    : undefined
  const length = found?.[1]
  const isLength =
    Number.isSafeInteger(length) && (length as number) > 0 && (length as number) <= maxContextLength
  return isLength ? (length as number) : 4_096
}

/** Returns undefined for a bad or missing answer: it means that there is no Ollama. */
async function fetchJson(
  dispatcher: Dispatcher,
  url: string,
  timeoutMs: number,
  body?: Record<string, unknown>,
): Promise<unknown> {
  try {
    const reply = await request(url, {
      dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
      headers: { 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    if (reply.statusCode === 200) return await reply.body.json()
    await reply.body.dump()
    return undefined
  } catch {
    return undefined
  }
}
