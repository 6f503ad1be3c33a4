/** Copies a ZIP and replaces one part by a stream. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { unzipSync } from 'fflate'

/** Maximum uncompressed bytes of a part in plain ZIP. */
const maxUnpacked = 3_500_000_000
/** 1980-01-01, as ZIP counts days. */
const someDay = 0x21

interface ArchiveEntry {
  name: string
  crc: number
  packed: number
  size: number
  offset: number
}

export class PackedFile implements Disposable {
  readonly #file: number
  readonly #entries: ArchiveEntry[] = []
  #at = 0
  #open: ArchiveEntry | undefined

  constructor(path: string) {
    this.#file = openSync(path, 'w')
  }

  /** Adds a whole part. */
  add(name: string, bytes: Uint8Array): void {
    this.begin(name)
    this.write(bytes)
    this.end()
  }

  begin(name: string): void {
    this.#open = { name, crc: 0, packed: 0, size: 0, offset: this.#at }
    this.#put(headerOf(this.#open))
  }

  /** Each chunk is compressed separately and ends at a byte boundary, so that the chunks can be concatenated. */
  write(bytes: Uint8Array): void {
    const entry = this.#open!
    entry.crc = crc32(bytes, entry.crc)
    entry.size += bytes.length
    const packed = deflateRawSync(bytes, { level: 4, finishFlush: constants.Z_SYNC_FLUSH })
    entry.packed += packed.length
    this.#put(packed)
  }

  end(): void {
    const entry = this.#open!
    const last = deflateRawSync(new Uint8Array(0))
    entry.packed += last.length
    this.#put(last)
    const header = headerOf(entry)
    writeSync(this.#file, header, 0, header.length, entry.offset)
    this.#entries.push(entry)
    this.#open = undefined
  }

  /** Bytes of the file so far. */
  get bytes(): number {
    return this.#at
  }
  /** Whether the current part is full. */
  get isFull(): boolean {
    return (this.#open?.size ?? 0) > maxUnpacked
  }

  finish(): void {
    const start = this.#at
    for (const entry of this.#entries) this.#put(directoryOf(entry))
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(this.#entries.length, 8)
    end.writeUInt16LE(this.#entries.length, 10)
    end.writeUInt32LE(this.#at - start, 12)
    end.writeUInt32LE(start, 16)
    this.#put(end)
  }

  #put(bytes: Uint8Array): void {
    writeSync(this.#file, bytes, 0, bytes.length, this.#at)
    this.#at += bytes.length
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

function headerOf({ name, crc, packed, size }: ArchiveEntry): Buffer {
  const header = Buffer.alloc(30 + Buffer.byteLength(name))
  header.writeUInt32LE(0x04034b50, 0)
  commonFields(header, 4, { name, crc, packed, size })
  header.write(name, 30)
  return header
}

function directoryOf(entry: ArchiveEntry): Buffer {
  const header = Buffer.alloc(46 + Buffer.byteLength(entry.name))
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(20, 4)
  commonFields(header, 6, entry)
  header.writeUInt32LE(entry.offset, 42)
  header.write(entry.name, 46)
  return header
}

function commonFields(
  header: Buffer,
  at: number,
  { name, crc, packed, size }: Omit<ArchiveEntry, 'offset'>,
): void {
  header.writeUInt16LE(20, at)
  // Names are UTF-8.
  header.writeUInt16LE(0x0800, at + 2)
  header.writeUInt16LE(8, at + 4)
  header.writeUInt16LE(someDay, at + 8)
  header.writeUInt32LE(crc, at + 10)
  header.writeUInt32LE(packed, at + 14)
  header.writeUInt32LE(size, at + 18)
  header.writeUInt16LE(Buffer.byteLength(name), at + 22)
}

/** The parts of a small archive. */
export const partsOf = (path: string): Record<string, Uint8Array> => unzipSync(readFileSync(path))
