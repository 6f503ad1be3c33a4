/** Bytes that a row names and the store does not have: an alarm for the operator, and the truth for who asks. */
import type { App } from '#app'
import { fail } from '#platform/errors'
import './errors.ts'

type Room = Pick<App, 'log' | 'metrics'>

/** Counts it and writes it into the log, where the answer is not ours to give. Call it only once it is sure that the row is still there. */
export function reportLost({ log, metrics }: Room, key: string): void {
  metrics.filesLost.inc({ kind: key.split('/')[0]! })
  log.error({ key }, 'bytes that were stored are gone from the store')
}

/** Throws FILE_LOST (410). */
export function failLost(room: Room, key: string): never {
  reportLost(room, key)
  return fail('FILE_LOST', {})
}
