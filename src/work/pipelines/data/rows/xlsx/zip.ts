/** The parts of a ZIP on disk, unpacked as they are read. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInflateRaw } from 'node:zlib'

/** Maximum decompressed bytes per reading: a few kilobytes can expand to gigabytes. */
export const maxUnpacked = 2 * 1024 ** 3

/** Thrown when a file expands beyond the limit. */
export class UnpackLimitExceeded extends Error {
  override name = 'Unbounded'
}

export interface ZipEntry {
  name: string
  stored: boolean
  packed: number
  offset: number
}

export interface UnpackBudget {
  left: number
}

const maxEntries = 20_000
const tailBytes = 66_000

/** The entries of an archive by their names; undefined if the file is no ZIP. */
export async function zipEntries(path: string): Promise<Map<string, ZipEntry> | undefined> {
  await using file = await open(path)
  const { size } = await file.stat()
  const tail = Buffer.alloc(Math.min(size, tailBytes))
  await file.read(tail, 0, tail.length, size - tail.length)
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  if (end < 0 || end + 22 > tail.length) return undefined
  const [bytes, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
  if (offset + bytes > size || bytes > 16 * 1024 * 1024) return undefined
  const directory = Buffer.alloc(bytes)
  await file.read(directory, 0, bytes, offset)
  return entriesIn(directory)
}

function entriesIn(directory: Buffer): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>()
  for (let at = 0; at + 46 <= directory.length && entries.size < maxEntries; ) {
    if (directory.readUInt32LE(at) !== 0x02014b50) break
    const method = directory.readUInt16LE(at + 10)
    const [nameLength, extra, comment] = [28, 30, 32].map((place) => directory.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ]
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength)
    if (method === 0 || method === 8)
      entries.set(name.toLowerCase(), {
        name,
        stored: method === 0,
        packed: directory.readUInt32LE(at + 20),
        offset: directory.readUInt32LE(at + 42),
      })
    at += 46 + nameLength + extra + comment
  }
  return entries
}

/** The bytes of an entry as text, piece by piece. Throws `UnpackLimitExceeded`. */
export async function* entryText(
  path: string,
  entry: ZipEntry,
  budget: UnpackBudget,
): AsyncGenerator<string> {
  const start = await dataStart(path, entry)
  const raw = createReadStream(path, { start, end: start + Math.max(0, entry.packed - 1) })
  const bytes = entry.stored ? raw : raw.pipe(createInflateRaw({ chunkSize: 1 << 17 }))
  raw.on('error', (error) => bytes.destroy(error))
  const decoder = new TextDecoder()
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      budget.left -= chunk.length
      if (budget.left < 0) throw new UnpackLimitExceeded('The file unpacks to more than is read.')
      yield decoder.decode(chunk, { stream: true })
    }
  } finally {
    bytes.destroy()
    raw.destroy()
  }
}

/** Where the data of an entry begins: after the local header, whose extra field may differ from the directory's. */
async function dataStart(path: string, { offset }: ZipEntry): Promise<number> {
  await using file = await open(path)
  const header = Buffer.alloc(30)
  await file.read(header, 0, 30, offset)
  return offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
}
