/** Writes a ZIP while its entries are read, one after another: of any size (ZIP64), in a few buffers of memory. */
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'

export interface ArchiveEntry {
  /** Folders are separated by `/`. */
  path: string
  /** Whether the bytes are compressed already, as those of pictures are. */
  isPacked: boolean
  modifiedAt: Date
  bytes: AsyncIterable<Uint8Array | string>
}

/** The bytes of the ZIP, no faster than they are read. An error of an entry ends the stream with it; an end of the reader ends the entry. */
export function archiveOf(entries: AsyncIterable<ArchiveEntry>): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error) => output.destroy(error as Error))
  writeAll(zip, entries, output).catch((error: unknown) => output.destroy(error as Error))
  return output
}

async function writeAll(zip: ZipFile, entries: AsyncIterable<ArchiveEntry>, output: Readable): Promise<void> {
  for await (const { path, isPacked, modifiedAt, bytes } of entries) {
    const source = Readable.from(bytes, { objectMode: false })
    const ending = () => source.destroy()
    output.once('close', ending)
    try {
      zip.addReadStream(source, path, { mtime: modifiedAt, compress: !isPacked })
      await finished(source)
    } finally {
      output.off('close', ending)
    }
  }
  zip.end()
}
