/** Texts that strangers choose, and an account in which everything that can have a name has such a one. */
import { expect } from 'vitest'
import { createProject } from '#platform/auth'
import { Client, type Seen } from '../../harness/client.ts'
import { type Member, newManagementKey } from '../../harness/session.ts'
import type { World } from '../../harness/world.ts'

/** What each of them does where it is not only shown: sets `hostile` in the page. */
export const hostileTexts = [
  '<script>globalThis.hostile = 1</script>',
  '"><img src=x onerror="globalThis.hostile=1">',
  `'};globalThis.hostile=1;//`,
  'javascript:globalThis.hostile=1',
  'سفارش \u202egpj.exe\u202c \u2066x\u2067y',
  'ب'.repeat(120),
  'W'.repeat(120),
  '👩‍👩‍👧‍👦🏳️‍🌈 فروشگاه 🛒',
  'كليد قديمي با ي و ك عربي',
  'پروژهٔ React با C++ (نسخهٔ ۲) -5 /v1/chat',
  '{{constructor.constructor("globalThis.hostile=1")()}}',
] as const

async function done(reply: Promise<Seen>): Promise<Seen['body']> {
  const seen = await reply
  expect(seen.status, seen.text).toBeLessThan(300)
  return seen.body
}

/**
 * Keys, projects, the account, the person, an invitation, customers and references get these names, through the API where it takes them. Returns the
 * ids of a key, a management key and a call by the paths of their pages.
 */
export async function fillHostile(world: World, owner: Member): Promise<Record<string, string>> {
  const text = (at: number): string => hostileTexts[at % hostileTexts.length]!
  const patch = (path: string, body: object) => done(owner.request('PATCH', path, JSON.stringify(body)))
  await patch('/v1/me', { display_name: text(1).slice(0, 100) })
  await patch('/v1/account', { name: text(0) })
  await patch(`/v1/projects/${world.project}`, { name: text(6) })
  const now = new Date(world.app.clock.nowMs())
  for (const name of hostileTexts)
    await world.app.db.tx((tx) => createProject(tx, { accountId: world.account, name }, now))
  let [keyId, secret, requestId] = ['', '', '']
  for (const name of hostileTexts) {
    const made = await done(
      owner.post('/v1/keys', { name, scopes: ['responses:write', 'models:read', 'usage:read'] }),
    )
    keyId = made.id
    secret = made.secret
  }
  const address = `${'a'.repeat(60)}@${'b'.repeat(60)}.example`
  await done(owner.post('/v1/invitations', { email: address, role: 'developer' }))
  const key = new Client(world.url, secret, keyId)
  for (const [at, name] of hostileTexts.entries()) {
    const inHeader = (text: string): string => Buffer.from(text).toString('latin1')
    const headers = { 'x-customer-id': inHeader(name), 'x-reference-id': inHeader(text(at + 1)) }
    const seen = await key.chat({ model: 'sandbox/fast', max_tokens: 10 }, headers)
    requestId = seen.headers.get('x-request-id')!
  }
  await world.settled()
  const management = await newManagementKey(world, {
    maker: owner,
    name: text(3),
    addresses: ['2001:db8::/32'],
  })
  return { '/keys/$id': keyId, '/management-keys/$id': management.keyId, '/requests/$id': requestId }
}
