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
  /** The receipt of a request. */
  receipt(id: string): Promise<Seen> {
    return this.get(`/v1/requests/${id}`)
  }

  async request(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Seen> {
    const response = await this.raw(method, path, body, headers)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
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
      headers: { authorization: `Bearer ${this.secret}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
  }
}

/** The `data:` payloads of a finished event stream, `[DONE]` included. */
export const dataOf = (text: string): string[] =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
