/** A multipart form with a file, as bytes, with a new boundary each time. */
import { randomUUID } from 'node:crypto'

export interface FormFile {
  bytes: Uint8Array
  name?: string
  type?: string
  /** The name of the part; `file` when absent. */
  part?: string
}

export interface WrittenForm {
  body: Buffer<ArrayBuffer>
  headers: { 'content-type': string }
}

export function formOf(file: FormFile | undefined, fields: Record<string, string> = {}): WrittenForm {
  const { around, headers } = openForm(file ?? {}, fields)
  const [before, after] = around
  const body = file ? Buffer.concat([before, file.bytes, after]) : after
  return { body: body as Buffer<ArrayBuffer>, headers }
}

/** The bytes before and after the file; the other fields come after it. */
export function openForm(
  { name, type, part = 'file' }: Omit<FormFile, 'bytes'>,
  fields: Record<string, string> = {},
): { around: [Buffer, Buffer]; headers: { 'content-type': string } } {
  const boundary = `----kherad${randomUUID()}`
  const file = name === undefined ? '' : `; filename="${name}"`
  const before = `--${boundary}\r\nContent-Disposition: form-data; name="${part}"${file}\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n`
  const after = Object.entries(fields).map(
    ([field, value]) =>
      `\r\n--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}`,
  )
  return {
    around: [Buffer.from(before), Buffer.from(`${after.join('')}\r\n--${boundary}--\r\n`)],
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}
