import { randomUUID } from 'node:crypto'
import type { StreamedBody } from './streamed-body.ts'

export interface FormFile {
  name: string
  mediaType: string
  bytes: Uint8Array
}

/** A `multipart/form-data` body (RFC 7578) of known length, so that a truncated one is recognised. */
export class Form implements StreamedBody {
  readonly #boundary = `kherad-${randomUUID()}`
  readonly #parts: Uint8Array[] = []

  get contentType(): string {
    return `multipart/form-data; boundary=${this.#boundary}`
  }

  get byteLength(): number {
    return [...this].reduce((sum, part) => sum + part.length, 0)
  }

  /** Its bytes, part by part: files of many megabytes are sent as they are. */
  *[Symbol.iterator](): Iterator<Uint8Array> {
    yield* this.#parts
    yield Buffer.from(`--${this.#boundary}--\r\n`)
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
