/** Texts that strangers choose, and an account in which everything that can have a name has such a one. */
import { expect } from 'vitest'
import { createProject } from '#platform/auth'
import type { Seen } from '../../harness/client.ts'
import type { Member } from '../../harness/session.ts'
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

/** Keys, projects, the account, the person and an invitation get these names, through the API where it takes them. Returns the id of a key. */
export async function fillHostile(world: World, owner: Member): Promise<string> {
  const text = (at: number): string => hostileTexts[at % hostileTexts.length]!
  const patch = (path: string, body: object) => done(owner.request('PATCH', path, JSON.stringify(body)))
  await patch('/v1/me', { display_name: text(1).slice(0, 100) })
  await patch('/v1/account', { name: text(0) })
  await patch(`/v1/projects/${world.project}`, { name: text(6) })
  const now = new Date(world.app.clock.nowMs())
  for (const name of hostileTexts)
    await world.app.db.tx((tx) => createProject(tx, { accountId: world.account, name }, now))
  let keyId = ''
  for (const name of hostileTexts) {
    const { id } = await done(
      owner.post('/v1/keys', { name, scopes: ['responses:write', 'models:read', 'usage:read'] }),
    )
    keyId = id
  }
  const address = `${'a'.repeat(60)}@${'b'.repeat(60)}.example`
  await done(owner.post('/v1/invitations', { email: address, role: 'developer' }))
  return keyId
}
