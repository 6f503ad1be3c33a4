import { UpstreamError } from '#providers/spec'
import type { Exchange } from './exchange.ts'

const maxJsonBytes = 32 * 1024 * 1024

/** True for a JSON object: answers of upstreams are unknown until looked at. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The rest of an answer as JSON. Throws malformed when it is none. */
export async function readJson(exchange: Exchange): Promise<unknown> {
  const text = await exchange.text(maxJsonBytes, 'fail')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UpstreamError('malformed', {
      status: exchange.status,
      detail: 'an answer that is not JSON',
      cause,
    })
  }
}
