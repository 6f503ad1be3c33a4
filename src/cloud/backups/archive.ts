/** The bytes of a backup: a tar, compressed by Zstandard (RFC 8878). */
import { createHash } from 'node:crypto'
import { pipeline, Readable, type Transform } from 'node:stream'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'

/** The stored bytes are not those that were written. */
export class BackupDamaged extends Error {
  override name = 'BackupDamaged'
}

export const compressed = (source: AsyncIterable<Buffer>): AsyncIterable<Buffer> =>
  through(source, createZstdCompress())

/** Yields the decompressed bytes. Throws BackupDamaged at the end, where the stored bytes have another hash. */
export async function* decompressVerified(
  source: AsyncIterable<Buffer>,
  { sha256, bytes }: { sha256: string; bytes: number },
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let read = 0
  let isOver = false
  const hashed = async function* () {
    for await (const chunk of source) {
      hash.update(chunk)
      read += chunk.length
      yield chunk
    }
    isOver = true
  }
  try {
    yield* through(hashed(), createZstdDecompress())
  } catch (error) {
    // The answer of the store was cut; another attempt may get all of it.
    if (isOver && read < bytes)
      throw new Error(`Of ${bytes} bytes of a backup ${read} came.`, { cause: error })
    const { code } = error as NodeJS.ErrnoException
    throw code?.startsWith('ZSTD_')
      ? new BackupDamaged('A backup cannot be decompressed.', { cause: error })
      : error
  }
  if (read < bytes) throw new Error(`Of ${bytes} bytes of a backup ${read} came.`)
  if (hash.digest('hex') !== sha256) throw new BackupDamaged('A backup has another hash.')
}

/** Whether all bytes came, and are not those that were written: unpacking them may fail before their hash is known. */
export async function isDamaged(
  source: AsyncIterable<Buffer>,
  { sha256, bytes }: { sha256: string; bytes: number },
): Promise<boolean> {
  const hash = createHash('sha256')
  let read = 0
  for await (const chunk of source) {
    hash.update(chunk)
    read += chunk.length
  }
  return read >= bytes && hash.digest('hex') !== sha256
}

/** Pipes `source` through `transform`. An error of the source is one of the result, and ending the result ends the source. */
function through(source: AsyncIterable<Buffer>, transform: Transform): AsyncIterable<Buffer> {
  pipeline(Readable.from(source, { objectMode: false }), transform, () => undefined)
  return transform
}
