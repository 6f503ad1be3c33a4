/** Asks, and writes down what was answered under a name. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Operation, operationFor } from './document.ts'
import { bodyOf, headersOf } from './normalise.ts'

export interface Answer {
  request: string
  status: number
  headers: Record<string, string>
  body: string
}

export interface RequestOptions {
  /** The key of the request. Default: the first key; null: no key. */
  secret?: string | null
  json?: unknown
  /** Instead of `json`: bytes of another type, or text that is no JSON. */
  raw?: { type: string; body: string | FormData }
  headers?: Record<string, string>
  /** Those of the browser that asks, values by names. What the answer sets is kept here. */
  cookies?: Map<string, string>
  /** Sent again, and not written down, while it is refused with this code: what it needs is not there yet. */
  waitsWhile?: string
}

export interface RawAnswer {
  status: number
  headers: Headers
  bytes: Buffer
}

// biome-ignore lint/suspicious/noExplicitAny: the body of whatever was asked.
export type Body = any

const passkey =
  'browsers make passkeys at https and localhost alone, which a site is not: tests/account/factors'
const provider = 'a site has no provider of OpenID Connect: tests/account/openid'

/** Routes that cannot succeed at a site, with the reason and the tests of their successes. */
const withoutSuccess: Record<string, string> = {
  'POST /v1/me/passkeys/options': passkey,
  'POST /v1/me/passkeys': passkey,
  'POST /v1/sign-in/passkey/options': passkey,
  'POST /v1/sign-in/passkey': passkey,
  'POST /v1/step-up/passkey/options': passkey,
  'POST /v1/step-up/passkey': passkey,
  'POST /v1/sign-in/openid/{provider}': provider,
  'POST /v1/sign-in/openid/finish': provider,
  'POST /v1/step-up/openid/{provider}': provider,
  'POST /v1/me/identities/{provider}': provider,
}

export class Recorder {
  readonly answers: Record<string, Answer> = {}
  readonly operations: readonly Operation[]
  readonly #url: string
  readonly #secret: string
  readonly #outcomes = new Map<string, Set<'success' | 'refusal'>>()

  constructor(url: string, secret: string, operations: readonly Operation[]) {
    this.#url = url
    this.#secret = secret
    this.operations = operations
  }

  /** The body as JSON, or undefined where it is something else. */
  async ask(name: string, method: string, target: string, options: RequestOptions = {}): Promise<Body> {
    if (name in this.answers) throw new Error(`two requests are named ${name}`)
    const { status, headers, bytes } = await this.#answer(method, target, options)
    const type = headers.get('content-type') ?? ''
    this.answers[name] = {
      request: `${method} ${bodyOf(Buffer.from(target), 'text/plain')}`,
      status,
      headers: headersOf(headers),
      // Both are written down apart, by what they mean.
      body: /^\/(metrics|openapi)/.test(target) && status === 200 ? '‹apart›' : bodyOf(bytes, type),
    }
    const operation = operationFor(this.operations, method, target)
    // A stream that failed begins with 200 all the same.
    if (operation) this.#note(operation.name, bytes.includes('event: error') ? 400 : status)
    return type.startsWith('application/json') ? JSON.parse(bytes.toString('utf8')) : undefined
  }

  /** Asks without writing down until the body fits. */
  async until(target: string, fits: (body: Body) => boolean, options: RequestOptions = {}): Promise<Body> {
    for (const deadline = Date.now() + 180_000; Date.now() < deadline; await pause(50)) {
      const { status, bytes } = await this.send('GET', target, options)
      if (status >= 500) continue
      const body = JSON.parse(bytes.toString('utf8'))
      if (fits(body)) return body
    }
    throw new Error(`${target} did not come to what was waited for`)
  }

  async #answer(method: string, target: string, options: RequestOptions) {
    for (const deadline = Date.now() + 180_000; ; await pause(500)) {
      const answer = await this.send(method, target, options)
      const { waitsWhile: code } = options
      if (code === undefined || answer.status < 500 || Date.now() > deadline) return answer
      if (JSON.parse(answer.bytes.toString('utf8')).error.code !== code) return answer
    }
  }

  /** Sends it once, and writes nothing down. */
  async send(
    method: string,
    target: string,
    { secret, json, raw, headers, cookies }: RequestOptions,
  ): Promise<RawAnswer> {
    const key = secret === undefined ? this.#secret : secret
    const body = raw?.body ?? (json === undefined ? undefined : JSON.stringify(json))
    const response = await fetch(this.#url + target, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined &&
          !(body instanceof FormData) && { 'content-type': raw?.type ?? 'application/json' }),
        ...(cookies?.size && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
    if (cookies) keepCookies(cookies, response.headers)
    // A stream that breaks is an answer too: what came until then counts.
    const parts: Buffer[] = []
    try {
      for await (const part of response.body ?? []) parts.push(Buffer.from(part))
    } catch {
      parts.push(Buffer.from('‹broken off›'))
    }
    return { status: response.status, headers: response.headers, bytes: Buffer.concat(parts) }
  }

  /** For answers whose lines come in the order in which they were ready. */
  sortLines(name: string): void {
    const answer = this.answers[name]!
    answer.body = answer.body.split('\n').sort().join('\n')
  }

  noteRefusal(operation: string): void {
    this.#note(operation, 400)
  }

  #note(operation: string, status: number): void {
    const known = this.#outcomes.get(operation) ?? new Set()
    known.add(status < 400 ? 'success' : 'refusal')
    this.#outcomes.set(operation, known)
  }

  /** Operations of which no success, or no refusal, was written down. */
  missing(): string[] {
    return this.operations.flatMap(({ name, succeeds }) =>
      (['success', 'refusal'] as const)
        .filter((outcome) => outcome === 'refusal' || (succeeds && !(name in withoutSuccess)))
        .filter((outcome) => !this.#outcomes.get(name)?.has(outcome))
        .map((outcome) => `no ${outcome} of ${name}`),
    )
  }
}

function keepCookies(cookies: Map<string, string>, headers: Headers): void {
  for (const text of headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(text) ?? []
    if (/;\s*max-age=0(;|$)/i.test(text)) cookies.delete(name)
    else cookies.set(name, value)
  }
}
