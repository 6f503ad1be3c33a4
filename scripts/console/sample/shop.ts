/**
 * A made-up shop: people of every role, projects, keys, an invitation, and a month of calls that were made and charged. All of it is done through the
 * API, by sessions and keys, so that receipts, caps, usage and audit log are those of an account that was in use.
 */
import assert from 'node:assert/strict'
import type { Role } from '#platform/auth'
import { atOrigin } from '../../../tests/account/console/at-origin.ts'
import type { Client, Seen } from '../../../tests/harness/client.ts'
import { Client as KeyClient } from '../../../tests/harness/client.ts'
import { Browser, type Member, newMember } from '../../../tests/harness/session.ts'
import { until } from '../../../tests/harness/until.ts'
import type { World } from '../../../tests/harness/world.ts'
import type { SampleServer } from './server.ts'

const dayMs = 86_400_000
/** The end of the sample: a Wednesday, eleven o'clock in Tehran. */
export const endMs = Date.UTC(2026, 10, 25, 7, 30)
/** More than a month, so that one month is compared with another. */
export const days = 40
export const startMs = endMs - days * dayMs

export const owner = { name: 'سارا رضایی', email: 'sara@toranj.example', password: 'باران پنجره قطار لیمو' }

export interface Shop {
  /** The owner in the browser in which they signed in last. */
  owner: Browser
  /** By the path of a page: the id of the one thing that it shows. */
  ids: Record<string, string>
  /** The link of an invitation that is open. */
  invitation: string
}

async function done(reply: Promise<Seen>): Promise<Seen['body']> {
  const seen = await reply
  assert.ok(seen.status < 300, `${seen.status} ${seen.text}`)
  return seen.body
}

const send = (who: Client, method: string, path: string, body: object): Promise<Seen['body']> =>
  done(who.request(method, path, JSON.stringify(body)))

export async function fillShop(server: SampleServer): Promise<Shop> {
  const { world, clock } = server
  const people = await hire(server)
  const { sara, amir } = people
  await send(sara, 'PATCH', '/v1/me', { locale: 'fa' })
  await provePhone(server, sara)
  await send(sara, 'PATCH', '/v1/account', { name: 'فروشگاه ترنج' })
  await send(sara, 'PATCH', `/v1/projects/${world.project}`, { name: 'سایت فروشگاه' })
  await send(sara, 'POST', '/v1/projects', { name: 'پشتیبانی مشتریان' })
  await send(sara, 'PATCH', '/v1/account/caps', { month_cap_credits: 2_500 })
  const make = async (who: Member, name: string, more: object = {}): Promise<KeyClient> => {
    const scopes = ['responses:write', 'models:read', 'usage:read']
    const { id, secret } = await send(who, 'POST', '/v1/keys', { name, scopes, ...more })
    return new KeyClient(world.url, secret, id)
  }
  const keys = [
    await make(sara, 'جستجوی محصول', { month_cap_credits: 1_200 }),
    await make(amir, 'دستیار پاسخ‌گویی', { models: ['openai/gpt-5-mini', 'google/gemini-3.8-flash'] }),
    await make(amir, 'گزارش شبانه', { expires_at: new Date(endMs + 5 * dayMs).toISOString() }),
    await make(sara, 'اپ Android', { origins: ['https://toranj.example'] }),
  ]
  const old = await make(sara, 'آزمایش')
  await done(sara.request('DELETE', `/v1/keys/${old.keyId}`))
  let requestId = ''
  const program = await makePrograms(world, sara)
  for (let day = 0; day <= days; day++) {
    clock.moveMs(Math.min(startMs + day * dayMs, endMs - 6 * 3_600_000) - clock.nowMs())
    requestId = (await callOfDay(server, keys, day)) ?? requestId
  }
  const browser = await signInAgain(server)
  const guest = 'ramin@toranj.example'
  await send(browser, 'POST', '/v1/invitations', { email: guest, role: 'developer' })
  const { text } = await server.mails.mailTo(guest)
  await done(program.get('/v1/account/usage'))
  const ids = {
    '/keys/$id': keys[0]!.keyId,
    '/management-keys/$id': program.keyId,
    '/members/$id': amir.personId,
    '/requests/$id': requestId,
  }
  return { owner: browser, ids, invitation: /https?:\/\/\S+#[\w-]+/.exec(text)![0] }
}

/** The owner proves the number of their phone, which stands in their profile from then on. */
async function provePhone({ messages }: SampleServer, sara: Member): Promise<void> {
  const phone = '09123456789'
  await send(sara, 'POST', '/v1/me/phone', { phone })
  await send(sara, 'POST', '/v1/me/phone/confirm', { phone, code: await messages.codeTo(phone) })
}

/** The management keys of two programs; the first one, which makes the keys of customers, is in use. */
async function makePrograms({ url, project }: World, sara: Member): Promise<KeyClient> {
  const customers = await send(sara, 'POST', '/v1/management-keys', {
    name: 'کلید مشتری‌ها',
    permissions: ['keys:read', 'keys:write', 'usage:read', 'projects:read'],
    key_scopes: ['models:read', 'responses:write'],
    addresses: ['127.0.0.0/8', '203.0.113.0/24'],
    expires_at: new Date(endMs + 160 * dayMs).toISOString(),
  })
  await send(sara, 'POST', '/v1/management-keys', {
    name: 'دفتر حسابداری',
    permissions: ['usage:read', 'account:read', 'audit:read'],
    expires_at: new Date(endMs + 6 * dayMs).toISOString(),
  })
  const { id, secret } = customers
  const key = new KeyClient(url, secret, id)
  const customer = { name: 'مشتری ۴۲', scopes: ['responses:write'], month_cap_credits: 20 }
  await done(key.post('/v1/keys', customer, { 'x-kherad-project': project }))
  return key
}

/** The owner signs in on a phone and then on a computer, a day later, since the first session has ended meanwhile. */
async function signInAgain({ world, origin, clock }: SampleServer): Promise<Browser> {
  const agents = [
    'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
  ]
  let browser = new Browser(origin, world.app.sessions.installation, world.project)
  for (const [at, agent] of agents.entries()) {
    clock.moveMs(endMs - (1 - at) * 5 * 3_600_000 - clock.nowMs())
    browser = new Browser(origin, world.app.sessions.installation, world.project)
    const { email, password } = owner
    await done(browser.post('/v1/sign-in/password', { email, password }, { 'user-agent': agent }))
  }
  return browser
}

async function hire({ world, origin }: SampleServer): Promise<{ sara: Member; amir: Member }> {
  const passwordHash = await world.app.passwords.hash('sample', owner.password)
  const join = async (role: Role, displayName: string, email: string) => {
    const options = { displayName, email, passwordHash, isOperator: role === 'owner' }
    return atOrigin(await newMember(world, role, options), origin, world.app.sessions.installation)
  }
  const sara = await join('owner', owner.name, owner.email)
  const amir = await join('developer', 'امیرحسین کریمی', 'amir@toranj.example')
  await join('admin', 'Daniel Weber', 'daniel@toranj.example')
  await join('billing', 'نگار احمدی', 'negar@toranj.example')
  await join('viewer', 'پویا صادقی', 'pouya@toranj.example')
  return { sara, amir }
}

const models = [
  'openai/gpt-5-mini',
  'google/gemini-3.8-flash',
  'anthropic/claude-sonnet-5',
  'deepseek/deepseek-v4',
]

/** Fewer on Fridays, more from week to week; the same in every sample. Returns a call that another provider answered, if there is one. */
async function callOfDay(
  { clock }: SampleServer,
  keys: readonly KeyClient[],
  day: number,
): Promise<string | undefined> {
  let shown: string | undefined
  const isFriday = new Date(startMs + day * dayMs).getUTCDay() === 5
  const calls = isFriday ? 2 : 4 + Math.floor(day / 8) + ((day * 7) % 3)
  for (let call = 0; call < calls; call++) {
    const draw = (day * 31 + call * 17) % 97
    clock.moveMs((11 + (draw % 23)) * 71_000)
    const key = keys[draw % keys.length]!
    const model = draw % keys.length === 1 ? models[draw % 2] : models[draw % models.length]
    const input = 2_000 + draw * 190
    const tokens = `tokens ${input} ${150 + ((draw * 53) % 900)}`
    const isLost = day % 6 === 0 && call === 1
    const luck = day % 5 === 0 && call === 5 ? 'busy ' : draw % 5 === 2 ? 'cached 1600 ' : ''
    // A text so long that it may have so many tokens.
    const content = isLost ? 'overloaded' : `${luck}${tokens}: ${'سفارش من کجاست؟ '.repeat(input / 20)}`
    const messages = [{ role: 'user', content }]
    const headers = {
      'x-customer-id': `customer-${1_000 + (draw % 12)}`,
      'x-reference-id': `order-${day * 40 + call}`,
    }
    const body = { model, messages, max_tokens: 2_000 }
    const reply = await key.post('/v1/chat/completions', body, draw % 3 === 0 ? headers : {})
    assert.ok(isLost || reply.status === 200, reply.text)
    const id = reply.headers.get('x-request-id')!
    // Its time is told by the clock of the sample, which must not go on before.
    await until(async () => !(await key.receipt(id)).body.pending)
    if (luck.startsWith('busy')) shown = id
  }
  return shown
}
