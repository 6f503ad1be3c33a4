/** Stored bytes that a row names and the store does not have: the operator gets an alarm, and the caller an honest answer. */
import { fail } from '#platform/errors'
import type { StorageApp } from './app.ts'
import './errors.ts'

type LostBytesContext = Pick<StorageApp, 'log' | 'metrics'>

/** Counts and logs lost bytes, for callers that cannot answer FILE_LOST themselves. Call it only once it is certain that the row still exists. */
export function reportLost({ log, metrics }: LostBytesContext, key: string): void {
  metrics.filesLost.inc({ kind: key.split('/')[0]! })
  log.error({ key }, 'bytes that were stored are gone from the store')
}

/** Reports lost bytes and throws FILE_LOST (410). */
export function failLost(room: LostBytesContext, key: string): never {
  reportLost(room, key)
  return fail('FILE_LOST', {})
}
