/** Stored results of steps: small ones in the row of the step, large ones in the storage. */
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type ByteSource, failLost } from '#platform/storage'
import type { RunJobApp } from '../app.ts'
import { recordBlob } from '../files/store.ts'
import type { RunLease } from '../run-lease.ts'
import type { StepRow } from './store.ts'

/** The most bytes of JSON in the row of a step; larger rows would make every read of the run slow. */
const rowBytes = 64 * 1024

export type StoredResult = { result: string } | { resultKey: string }

/** Stores a value of plain JSON; undefined is stored as null. */
export async function storeResult(lease: RunLease, value: unknown): Promise<StoredResult> {
  const text = JSON.stringify(value ?? null)
  const bytes = Buffer.from(text)
  if (bytes.length <= rowBytes) return { result: text }
  try {
    return { resultKey: await storeBytes(lease, bytes) }
  } catch (error) {
    lease.signal.throwIfAborted()
    // The answer is paid for: it must not be lost because the storage is full or unreachable.
    lease.app.log.warn({ err: error, run_id: lease.run.run_id }, 'a result of a step stays in the database')
    return { result: text }
  }
}

/** Puts bytes of a run into the storage, under their hash; returns the key. */
export const storeBytes = (lease: RunLease, bytes: Uint8Array): Promise<string> =>
  storeContent(lease, sha256(bytes), bytes)

/** Puts content of a known hash into the storage; returns the key. */
export async function storeContent(
  lease: RunLease,
  hash: string,
  content: Uint8Array | ByteSource,
): Promise<string> {
  const { app, leaseKey } = lease
  const key = `work/${leaseKey.accountId}/${leaseKey.runId}/${hash}`
  if (!(await lease.persist(() => recordBlob(app.db, leaseKey, key)))) lease.markLost()
  await (content instanceof Uint8Array ? app.storage.put(key, content) : app.storage.putStream(key, content))
  return key
}

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

export async function readResult(
  app: Pick<RunJobApp, 'log' | 'metrics' | 'storage'>,
  row: StepRow,
): Promise<unknown> {
  if (row.result_key === null) return JSON.parse(row.result!)
  const stream = await app.storage.get(row.result_key)
  if (!stream) return failLost(app, row.result_key)
  return JSON.parse((await buffer(stream)).toString())
}
