/** Saves files that a run delivers: first the bytes go into the storage, then the row that names them is written. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { ByteSource } from '#platform/storage'
import { manifestPath, pathFault } from '#work/documents'
import type { Deliverable } from '#work/pipelines'
import { recordEvent } from '../events/store.ts'
import { sha256, storeContent } from '../journal/results.ts'
import type { RunLease } from '../run-lease.ts'
import { lockLeased } from '../store.ts'
import { type FileRow, filesOf, putFile } from './store.ts'

/** The most files and bytes of one run. All files are packed in memory when the bundle is requested. */
const maxFiles = 1_000
const maxBytes = 100 * 1024 * 1024

/** Saves a file. Throws a RangeError for a path that cannot be unpacked everywhere, and for too many files or bytes. */
export const saveFile = (lease: RunLease, file: Deliverable): Promise<void> =>
  save(lease, file, { bytes: file.bytes.length, sha256: sha256(file.bytes), source: file.bytes })

/** Saves a file on the local disk, which goes to the storage piece by piece. Throws as `saveFile` does. */
export async function saveLocalFile(
  lease: RunLease,
  file: Omit<Deliverable, 'bytes'>,
  filePath: string,
): Promise<void> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(filePath) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  const known = { bytes, sha256: hash.digest('hex') }
  await save(lease, file, { ...known, source: { ...known, open: () => createReadStream(filePath) } })
}

interface FileContent {
  bytes: number
  sha256: string
  source: Uint8Array | ByteSource
}

async function save(lease: RunLease, file: Omit<Deliverable, 'bytes'>, content: FileContent): Promise<void> {
  const { app, run, leaseKey } = lease
  lease.requireOpen()
  const fault =
    pathFault(file.path) ?? (file.path === manifestPath ? 'it is the name of the manifest' : undefined)
  if (fault) throw new RangeError(`${JSON.stringify(file.path)} cannot be handed over: ${fault}.`)
  const key = await storeContent(lease, content.sha256, content.source)
  const row: FileRow = {
    account_id: run.account_id,
    run_id: run.run_id,
    path: file.path,
    media_type: file.mediaType,
    bytes: BigInt(content.bytes),
    sha256: content.sha256,
    title: file.title,
    storage_key: key,
    created_at: lease.now(),
  }
  await lease.persist(() =>
    app.db.tx(async (tx) => {
      await lockLeased(tx, leaseKey)
      const others = await filesOf(tx, leaseKey)
      const was = others.find(({ path }) => path === row.path)
      if (was && was.sha256 === row.sha256 && was.media_type === row.media_type && was.title === row.title)
        return
      requireWithinLimits(
        row,
        others.filter((other) => other !== was),
      )
      await putFile(tx, row)
      const { path, media_type, bytes } = row
      await recordEvent(tx, leaseKey, 'file', { path, media_type, bytes: Number(bytes) }, row.created_at)
    }),
  )
}

function requireWithinLimits({ path, bytes }: FileRow, others: readonly FileRow[]): void {
  const total = others.reduce((sum, other) => sum + other.bytes, bytes)
  if (others.length >= maxFiles || total > maxBytes) throw new RangeError('A run hands over too much.')
  const folded = path.toLowerCase()
  for (const other of others) {
    const taken = other.path.toLowerCase()
    if (taken === folded || taken.startsWith(`${folded}/`) || folded.startsWith(`${taken}/`))
      throw new RangeError(
        `${JSON.stringify(path)} and ${JSON.stringify(other.path)} cannot both be unpacked.`,
      )
  }
}
