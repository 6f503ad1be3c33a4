import { randomUUID } from 'node:crypto'
import type { SoundBytes } from '#core/turn'
import { partsOf } from './streamed-body.ts'

export interface FormFile {
  name: string
  mediaType: string
  bytes: SoundBytes
}

/** A `multipart/form-data` body (RFC 7578) of known length, so that a truncated one is recognised. */
export class Form implements AsyncIterable<Uint8Array> {
  readonly #boundary = `kherad-${randomUUID()}`
  readonly #parts: SoundBytes[] = []

  get contentType(): string {
    return `multipart/form-data; boundary=${this.#boundary}`
  }

  get byteLength(): number {
    return [...this.#parts, this.#end].reduce((sum, part) => sum + part.byteLength, 0)
  }

  /** The bytes of the form, part by part: files of many megabytes are sent as they are. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (const part of this.#parts) yield* partsOf(part)
    yield this.#end
  }

  get #end(): Buffer {
    return Buffer.from(`--${this.#boundary}--\r\n`)
  }

  /** `name` and the file name are constants of this code and need no escaping. */
  add(name: string, value: string | FormFile): void {
    const file = typeof value === 'string' ? undefined : value
    const head =
      `--${this.#boundary}\r\nContent-Disposition: form-data; name="${name}"` +
      (file ? `; filename="${file.name}"\r\nContent-Type: ${file.mediaType}` : '')
    this.#parts.push(
      Buffer.from(`${head}\r\n\r\n`),
      typeof value === 'string' ? Buffer.from(value) : value.bytes,
      Buffer.from('\r\n'),
    )
  }
}
