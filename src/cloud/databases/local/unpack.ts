/** A tar of files and folders, as PostgreSQL writes it, unpacked into an empty folder (pax, ustar: POSIX.1-2001). */
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import path from 'node:path'

const blockBytes = 512
/** The flag of base-256 in place of octal digits, for sizes from 8 GiB on. */
const binarySizeFlag = 0x80

interface Header {
  name: string
  bytes: number
  isFolder: boolean
}

export interface UnpackOptions {
  folder: string
  /** The user who is to own the files; the user of this process where undefined. */
  owner: number | undefined
  /** The most bytes of all files together. */
  maxBytes: number
}

/** Reads the source to its end and returns the bytes of its files. Throws where the source is not a tar of this form, is cut, or is too large. */
export async function unpack(source: AsyncIterable<Buffer>, options: UnpackOptions): Promise<number> {
  await using writer = new TarUnpacker(options)
  for await (const chunk of source) await writer.take(chunk)
  return writer.end()
}

class TarUnpacker implements AsyncDisposable {
  readonly #options: UnpackOptions
  /** The bytes of a header that is not whole yet. */
  #held: Buffer = Buffer.alloc(0)
  #file: FileHandle | undefined
  /** The bytes still to come of this file, and of the padding up to the next header. */
  #fileBytes = 0
  #padding = 0
  #total = 0
  #isOver = false

  constructor(options: UnpackOptions) {
    this.#options = options
  }

  async take(chunk: Buffer): Promise<void> {
    let rest = chunk
    while (rest.length > 0 && !this.#isOver) {
      if (this.#fileBytes > 0) rest = await this.#write(rest)
      else if (this.#padding > 0) rest = this.#skip(rest)
      else rest = await this.#header(rest)
    }
  }

  end(): number {
    if (!this.#isOver) throw new Error('The archive is cut.')
    return this.#total
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
  }

  async #write(chunk: Buffer): Promise<Buffer> {
    const part = chunk.subarray(0, this.#fileBytes)
    await this.#file!.appendFile(part)
    this.#fileBytes -= part.length
    if (this.#fileBytes === 0) await this.#closeFile()
    return chunk.subarray(part.length)
  }

  #skip(chunk: Buffer): Buffer {
    const bytes = Math.min(this.#padding, chunk.length)
    this.#padding -= bytes
    return chunk.subarray(bytes)
  }

  async #header(chunk: Buffer): Promise<Buffer> {
    const missing = blockBytes - this.#held.length
    this.#held = Buffer.concat([this.#held, chunk.subarray(0, missing)])
    if (this.#held.length < blockBytes) return chunk.subarray(missing)
    const block = this.#held
    this.#held = Buffer.alloc(0)
    if (block.every((byte) => byte === 0)) this.#isOver = true
    else await this.#begin(readHeader(block))
    return chunk.subarray(missing)
  }

  async #begin({ name, bytes, isFolder }: Header): Promise<void> {
    const { folder, owner, maxBytes } = this.#options
    const place = path.join(folder, name)
    this.#total += bytes
    if (this.#total > maxBytes) throw new Error(`The archive holds more than ${maxBytes} bytes.`)
    if (isFolder) {
      await mkdir(place, { recursive: true, mode: 0o700 })
      if (owner === undefined) return
      const handle = await open(place, 'r')
      await handle.chown(owner, owner).finally(() => handle.close())
      return
    }
    this.#file = await open(place, 'wx', 0o600)
    if (owner !== undefined) await this.#file.chown(owner, owner)
    this.#fileBytes = bytes
    this.#padding = (blockBytes - (bytes % blockBytes)) % blockBytes
    if (bytes === 0) await this.#closeFile()
  }

  async #closeFile(): Promise<void> {
    await this.#file!.close()
    this.#file = undefined
  }
}

function readHeader(block: Buffer): Header {
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  if (sum !== readNumber(block, 148, 8)) throw new Error('The archive is damaged.')
  const type = String.fromCharCode(block[156]!)
  const name = textOf(block.subarray(0, 100))
  const isFolder = type === '5'
  if ((!isFolder && type !== '0' && type !== '\0') || !isPlain(name))
    throw new Error('The archive holds something that no backup has.')
  return { name, bytes: isFolder ? 0 : readNumber(block, 124, 12), isFolder }
}

/** Whether the name stays within the folder. */
const isPlain = (name: string): boolean =>
  /^(?:\.\/?|[\w.-]+(?:\/[\w.-]+)*\/?)$/.test(name) && !name.split('/').includes('..')

function readNumber(block: Buffer, from: number, length: number): number {
  const field = block.subarray(from, from + length)
  if (((field[0] ?? 0) & binarySizeFlag) !== 0) return Number(field.readBigUInt64BE(length - 8))
  const value = Number.parseInt(textOf(field).trim() || '0', 8)
  if (!Number.isSafeInteger(value)) throw new Error('The archive is damaged.')
  return value
}

const textOf = (field: Buffer): string => {
  const end = field.indexOf(0)
  return field.toString('latin1', 0, end === -1 ? field.length : end)
}
