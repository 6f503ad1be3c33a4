/** What steps came to, kept: small things in the row of the step, large ones in the storage. */
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { App } from '#app'
import type { ByteSource } from '#platform/storage'
import { noteBlob } from '../files/store.ts'
import type { RunLease } from '../run-lease.ts'
import type { StepRow } from './store.ts'

/** Of JSON, in bytes; a row with more of it would make every read of the run slow. */
const rowBytes = 64 * 1024

export type Kept = { result: string } | { resultKey: string }

/** Plain JSON; nothing is null. */
export async function keepResult(shift: RunLease, value: unknown): Promise<Kept> {
  const text = JSON.stringify(value ?? null)
  const bytes = Buffer.from(text)
  if (bytes.length <= rowBytes) return { result: text }
  try {
    return { resultKey: await keepBytes(shift, bytes) }
  } catch (error) {
    shift.signal.throwIfAborted()
    // The answer is paid: a storage that is full or away must not cost it.
    shift.app.log.warn({ err: error, run_id: shift.run.run_id }, 'a result of a step stays in the database')
    return { result: text }
  }
}

/** Puts bytes of a run into the storage, named by what they are; answers their key. */
export const keepBytes = (shift: RunLease, bytes: Uint8Array): Promise<string> =>
  keepContent(shift, sha256(bytes), bytes)

/** The same where the hash is known. */
export async function keepContent(
  shift: RunLease,
  hash: string,
  content: Uint8Array | ByteSource,
): Promise<string> {
  const { app, held } = shift
  const key = `work/${held.accountId}/${held.runId}/${hash}`
  if (!(await shift.persist(() => noteBlob(app.db, held, key)))) shift.lose()
  await (content instanceof Uint8Array ? app.storage.put(key, content) : app.storage.putStream(key, content))
  return key
}

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

export async function readResult(app: App, row: StepRow): Promise<unknown> {
  if (row.result_key === null) return JSON.parse(row.result!)
  const stream = await app.storage.get(row.result_key)
  if (!stream) throw new Error(`The result of the step ${row.step} is not in the storage.`)
  return JSON.parse((await buffer(stream)).toString())
}
