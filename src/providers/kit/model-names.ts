import { isRecord } from '#platform/json'
import { listBytes } from './bounds.ts'

import { pingTimeouts, type UpstreamClient } from './kit.ts'

/** A longer list is not accepted as a list of models. */
const maxNames = 20_000

/** The names in an answer of `/models`, in OpenAI's or Anthropic's format; undefined if it is not one, or incomplete. */
export function modelNames(answer: unknown): readonly string[] | undefined {
  if (!isRecord(answer) || !Array.isArray(answer['data']) || answer['has_more'] === true) return undefined
  const names = answer['data']
    .slice(0, maxNames)
    .flatMap((item: unknown) => (isRecord(item) && typeof item['id'] === 'string' ? [item['id']] : []))
  return names.length === 0 ? undefined : names
}

/** The upstream's list of its models: a ping, which shows that it answers and takes the key. */
export const listModels = async (
  client: UpstreamClient,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> =>
  modelNames(await client.json({ path: modelsPath(client.host), signal, timeouts: pingTimeouts }, listBytes))

/** OpenRouter lists models of texts alone unless it is asked for all (openrouter.ai/docs/api_reference/models). */
export const modelsPath = (host: string): string =>
  host === 'openrouter.ai' ? '/models?output_modalities=all' : '/models'
