/** Uploads in parts as tus-js-client sends them: in parts of 6 MiB, the first one with the creation where that is wished. */

export const partBytes = 6 * 1024 * 1024
const version = { 'tus-resumable': '1.0.0' }
const octets = { 'content-type': 'application/offset+octet-stream' }

export interface TusOptions {
  endpoint: string
  headers: Record<string, string>
  metadata: Record<string, string>
  withCreation?: boolean
}

/** `name base64,…`, each value in UTF-8. */
export const metadataHeader = (metadata: Record<string, string>): string =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')

export class Tus {
  readonly options: TusOptions
  readonly bytes: Uint8Array<ArrayBuffer>
  url = ''
  offset = 0

  constructor(bytes: Uint8Array<ArrayBuffer>, options: TusOptions) {
    this.bytes = bytes
    this.options = options
  }

  async create(): Promise<Response> {
    const { endpoint, headers, metadata, withCreation } = this.options
    const reply = await fetch(endpoint, {
      method: 'POST',
      headers: {
        ...{ ...version, ...headers, 'upload-length': String(this.bytes.length) },
        ...{ 'upload-metadata': metadataHeader(metadata), ...(withCreation && octets) },
      },
      ...(withCreation && { body: this.bytes.subarray(0, partBytes) }),
    })
    if (reply.ok) {
      this.url = new URL(reply.headers.get('location')!, endpoint).href
      this.offset = Number(reply.headers.get('upload-offset') ?? 0)
    }
    return reply
  }

  async patch(
    offset = this.offset,
    bytes = this.bytes.subarray(offset, offset + partBytes),
  ): Promise<Response> {
    const reply = await fetch(this.url, {
      method: 'PATCH',
      headers: { ...version, ...this.options.headers, ...octets, 'upload-offset': String(offset) },
      body: bytes,
    })
    if (reply.ok) this.offset = Number(reply.headers.get('upload-offset'))
    return reply
  }

  /** Asks where it stands. */
  async resume(): Promise<Response> {
    const reply = await fetch(this.url, { method: 'HEAD', headers: { ...version, ...this.options.headers } })
    if (reply.ok) this.offset = Number(reply.headers.get('upload-offset'))
    return reply
  }

  end(): Promise<Response> {
    return fetch(this.url, { method: 'DELETE', headers: { ...version, ...this.options.headers } })
  }

  /** All of it; the status of the first refusal, or undefined. */
  async send(): Promise<number | undefined> {
    const created = await this.create()
    if (!created.ok) return created.status
    while (this.offset < this.bytes.length) {
      const reply = await this.patch()
      if (!reply.ok) return reply.status
    }
    return undefined
  }
}
