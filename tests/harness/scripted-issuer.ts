/**
 * An issuer of OpenID Connect that answers as a test says: for what a real provider never sends. It shows nobody a form; the test brings the answer
 * to the browser itself.
 */
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ScriptedIssuer extends AsyncDisposable {
  issuer: string
  /** What the next tokens say beside the usual claims; undefined removes one. */
  claims: Record<string, unknown>
  /** What the UserInfo endpoint says. */
  userInfo: Record<string, unknown>
  /** Members of the discovery document beside the usual ones, or in their place. */
  metadata: Record<string, unknown>
  /** How the token is signed: by the announced key, by another key, by the secret of the client, or not at all. */
  signature: 'right' | 'other' | 'secret' | 'none'
  /** The status of every answer; 0: none is ever given. */
  status: number
  /** How often each path was requested. */
  requests: Map<string, number>
  /** The forms that came to the token endpoint, newest last. */
  forms: URLSearchParams[]
  /** The address at which a browser would come back that was sent to `address`. */
  answer(address: string, more?: Record<string, string | undefined>): string
}

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

export async function startScriptedIssuer({ secret }: { secret: string }): Promise<ScriptedIssuer> {
  const announced = newKey()
  const other = newKey()
  /** The nonce and client of the last address for which an answer was made. */
  let asked = { nonce: '', clientId: '' }
  const server = createServer(async (request, response) => {
    const path = new URL(request.url!, self.issuer).pathname
    self.requests.set(path, (self.requests.get(path) ?? 0) + 1)
    const form = new URLSearchParams(await textOf(request))
    if (self.status === 0) return
    if (path === '/token') self.forms.push(form)
    const answers: Record<string, () => unknown> = {
      '/.well-known/openid-configuration': discovery,
      '/jwks': () => ({
        keys: [{ ...announced.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256' }],
      }),
      '/token': () => ({ access_token: 'an access token', token_type: 'Bearer', id_token: token() }),
      '/userinfo': () => self.userInfo,
    }
    response.writeHead(path in answers ? self.status : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answers[path]?.() ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))

  const discovery = () => ({
    issuer: self.issuer,
    authorization_endpoint: `${self.issuer}/authorize`,
    token_endpoint: `${self.issuer}/token`,
    jwks_uri: `${self.issuer}/jwks`,
    userinfo_endpoint: `${self.issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    ...self.metadata,
  })
  const token = (): string => {
    const now = Math.floor(Date.now() / 1_000)
    const usual = { iss: self.issuer, aud: asked.clientId, nonce: asked.nonce, iat: now, exp: now + 300 }
    const alg = { right: 'RS256', other: 'RS256', secret: 'HS256', none: 'none' }[self.signature]
    const head = { alg, kid: 'one' }
    const signed = [head, { ...usual, ...self.claims }].map(encoded).join('.')
    if (self.signature === 'none') return `${signed}.`
    if (self.signature === 'secret')
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
    const { privateKey } = self.signature === 'right' ? announced : other
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`
  }
  const self: ScriptedIssuer = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    claims: {},
    userInfo: {},
    metadata: {},
    signature: 'right',
    status: 200,
    requests: new Map(),
    forms: [],
    answer(address, more = {}) {
      const { searchParams } = new URL(address)
      asked = { nonce: searchParams.get('nonce')!, clientId: searchParams.get('client_id')! }
      const back = new URL(searchParams.get('redirect_uri')!)
      const parameters = { code: 'a code', state: searchParams.get('state')!, ...more }
      for (const [name, value] of Object.entries(parameters))
        if (value !== undefined) back.searchParams.set(name, value)
      return back.href
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return self
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
