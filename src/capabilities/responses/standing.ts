import type { Json } from './item.ts'

/** Members that every response has, whatever it answers: what is never otherwise here, and the marks of its request. */
export const standing = (body: {
  metadata?: unknown
  safety_identifier?: unknown
  prompt_cache_key?: unknown
}): Json => ({
  top_logprobs: 0,
  truncation: 'disabled',
  store: false,
  background: false,
  service_tier: 'default',
  metadata: body.metadata ?? {},
  safety_identifier: body.safety_identifier ?? null,
  prompt_cache_key: body.prompt_cache_key ?? null,
})
