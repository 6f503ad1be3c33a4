import { fail } from '#platform/errors'
import { exactly, writtenOutBytes } from '#platform/json'
import { reasons } from './phrases.ts'
import type { Metadata } from './store.ts'

/** Bounds in bytes as PostgreSQL writes them: metadata stands in every access token, which has to fit the header lines of proxies. */
const bounds = { metadata: 3 * 1024, appMetadata: 1024 }
const maxDepth = 8

/** `old` with the given members, all with exact numbers; null removes one. Throws APP_USER_INVALID where the result is too large. */
export function mergeMetadata(
  old: Metadata,
  given: unknown,
  which: keyof typeof bounds = 'metadata',
): Metadata {
  if (given === undefined || given === null) return old
  if (typeof given !== 'object' || Array.isArray(given) || !isStorable(given, 0))
    fail('APP_USER_INVALID', { why: reasons[which] })
  const merged = Object.fromEntries(
    Object.entries({ ...old, ...(exactly(given) as Metadata) }).filter(([, value]) => value !== null),
  )
  if (writtenOutBytes(merged) > bounds[which]) fail('APP_USER_INVALID', { why: reasons[which] })
  return merged
}

/** PostgreSQL accepts neither the character U+0000 nor a lone surrogate in JSON. */
function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  if (depth >= maxDepth) return false
  return Object.entries(value).every(([name, one]) => isStorable(name, 0) && isStorable(one, depth + 1))
}
