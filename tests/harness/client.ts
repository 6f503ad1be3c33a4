import { request as send } from 'undici'
import { assertExplained } from './explained-charge.ts'

/** A plain HTTP client with one key: it sees what curl would. */
export interface Seen {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  body: any
}

export class Client {
  readonly url: string
  readonly secret: string
  readonly keyId: string

  constructor(url: string, secret: string, keyId: string) {
    this.url = url
    this.secret = secret
    this.keyId = keyId
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Seen> {
    return this.request('GET', path, undefined, headers)
  }
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Seen> {
    return this.request('POST', path, JSON.stringify(body), headers)
  }
  chat(body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Seen> {
    return this.post(
      '/v1/chat/completions',
      { messages: [{ role: 'user', content: 'hello' }], ...body },
      headers,
    )
  }
  /** The receipt of a request, whose explanation must add up. */
  async receipt(id: string): Promise<Seen> {
    const seen = await this.get(`/v1/requests/${id}`)
    if (seen.status === 200) assertExplained(seen.body)
    return seen
  }

  async request(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Seen> {
    // Not `fetch`, which hands each body through several streams: that is a fifth of what a file of small requests costs.
    const reply = await send(this.url + path, {
      method,
      headers: { ...asFetch, ...this.#headers(headers) },
      ...(body !== undefined && { body }),
    })
    const text = await reply.body.text()
    const seen = new Headers(
      Object.entries(reply.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((one): [string, string] => [name, one]),
      ),
    )
    const isJson = seen.get('content-type')?.startsWith('application/json')
    return { status: reply.statusCode, headers: seen, text, body: isJson ? JSON.parse(text) : undefined }
  }

  raw(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: this.#headers(headers),
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
  }

  #headers(more: Record<string, string>): Record<string, string> {
    return { authorization: `Bearer ${this.secret}`, 'content-type': 'application/json', ...more }
  }
}

/** What `fetch` sends by itself. */
const asFetch = { accept: '*/*', 'accept-language': '*', 'user-agent': 'node' }

/** The `data:` payloads of a finished event stream, `[DONE]` included. */
export const dataOf = (text: string): string[] =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
