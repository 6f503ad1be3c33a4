/** A real provider of OpenID Connect, `oidc-provider`, as a process of its own: tests/harness/openid-provider.ts starts it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import type { ProviderMessage, ProviderStart } from './openid-provider.ts'

const { clients } = JSON.parse(process.argv[2]!) as ProviderStart
const people = new Map<string, Record<string, unknown>>()

const server = createServer()
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
    // Whoever signs in exists, with the claims that the test has set, at the time of each question.
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...people.get(id) }),
    }),
  })
  server.on('request', provider.callback())
  process.on('message', ({ id, login, claims }: ProviderMessage) => {
    people.set(login, claims)
    process.send!({ id })
  })
  process.send!({ issuer })
})

// The test that started it is gone.
process.on('disconnect', () => process.exit(0))
