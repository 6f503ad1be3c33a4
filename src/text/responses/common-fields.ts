import type { ResponseJson } from './item.ts'

/** Fields that every response has, for text and pictures: constants, and identifiers that are repeated from the request. */
export const commonFields = (body: {
  metadata?: unknown
  safety_identifier?: unknown
  prompt_cache_key?: unknown
}): ResponseJson => ({
  top_logprobs: 0,
  truncation: 'disabled',
  store: false,
  background: false,
  service_tier: 'default',
  metadata: body.metadata ?? {},
  safety_identifier: body.safety_identifier ?? null,
  prompt_cache_key: body.prompt_cache_key ?? null,
})
