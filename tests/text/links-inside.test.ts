/** Links that an upstream would open: none may lead to a private address, in any spelling and at any place of a request. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openGuardedClient } from '#platform/net'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { type FakeUpstream, fakeUpstream } from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'
import { asked, type Json, replyTo, type WireName, wires } from '../media/media-world.ts'
import * as batches from './batches-world.ts'
import { message, toolResult, toolUse, user } from './messages-world.ts'

const addresses: Record<string, string[]> = {
  'pictures.example.com': ['93.184.216.34'],
  'inside.example.com': ['10.0.0.5'],
  'both.example.com': ['93.184.216.34', '10.0.0.5'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
}
let world: World
let upstream: FakeUpstream
let key: Client
const lookedUp: string[] = []
const now = { atOnce: 0, max: 0 }
/** Look-ups of `slow-…` names wait for what it answers. */
let slow: () => Promise<void> = async () => undefined

beforeAll(async () => {
  upstream = await fakeUpstream()
  const net = openGuardedClient({
    allowedCidrs: [],
    async lookup(name) {
      lookedUp.push(name)
      now.atOnce += 1
      now.max = Math.max(now.max, now.atOnce)
      try {
        if (name.startsWith('slow-')) await slow()
        const found = addresses[name]
        if (!found) throw new Error('ENOTFOUND')
        return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
      } finally {
        now.atOnce -= 1
      }
    },
  })
  world = await sharedWorld({ credits: 100_000, net, config: configOf(upstream.url) })
  key = await world.key()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})
beforeEach(() => {
  upstream.calls.length = 0
  upstream.reply(({ path }) => replyTo(path))
  lookedUp.length = 0
  now.max = 0
})

/** Of each wire: as the wire has it, with `takes_links: true` of the provider, and of the model alone. */
function configOf(url: string): string {
  const providers = wires.flatMap((wire) => [
    `  - { id: ${wire}, base_url: "${url}", dialects: [${wire}] }`,
    `  - { id: ${wire}-trusted, base_url: "${url}", dialects: [${wire}], takes_links: true }`,
  ])
  const model = (id: string, on: string[], more = '') =>
    `  - { id: test/${id}, deployments: [${on.map((provider) => `{ provider: ${provider}, model: upstream-model }`).join(', ')}],
      context_length: 200000, max_output_tokens: 16384, input_modalities: [text, image, file], features: [tools],
      pricing: { input_per_million: 1, output_per_million: 2 }${more} }`
  return `
providers:
${providers.join('\n')}
models:
${wires.map((wire) => model(wire, [wire])).join('\n')}
${wires.map((wire) => model(`${wire}-provider`, [`${wire}-trusted`])).join('\n')}
${wires.map((wire) => model(`${wire}-model`, [wire], ', takes_links: true')).join('\n')}
${model('mixed', ['messages-trusted', 'messages'])}
defaults: { text_model: test/responses, credits_per_usd: 1000, markup: 1 }
`
}

type Kind = 'picture' | 'file'
const part: Record<string, (url: string) => Json> = {
  'chat picture': (url) => ({ type: 'image_url', image_url: { url } }),
  'messages picture': (url) => ({ type: 'image', source: { type: 'url', url } }),
  'messages file': (url) => ({ type: 'document', source: { type: 'url', url } }),
  'responses file': (url) => ({ type: 'input_file', file_url: url, filename: 'a.pdf' }),
}
const field: Record<string, string> = {
  'chat picture': 'messages.0.content.0.image_url.url',
  'messages picture': 'messages.0.content.0.source.url',
  'messages file': 'messages.0.content.0.source.url',
  'responses file': 'input.0.content.0.file_url',
}
const kinds = Object.keys(part).map((name) => name.split(' ') as [WireName, Kind])

const inner = [
  'https://127.0.0.1/x.png',
  'https://127.1/x.png',
  'https://2130706433/x.png',
  'https://0x7f000001/x.png',
  'https://0177.0.0.1/x.png',
  'https://127.0.0.1./x.png',
  'https://１２７.０.０.１/x.png',
  'https://127。0。0。1/x.png',
  'https://0.0.0.0/x.png',
  'https://10.0.0.1:8443/x.png',
  'https://192.168.1.1/x.png',
  'https://[::1]/x.png',
  'https://[::ffff:127.0.0.1]/x.png',
  'https://[::ffff:a9fe:a9fe]/x.png',
  'https://[64:ff9b::a9fe:a9fe]/x.png',
  'https://[fd00:ec2::254]/x.png',
  'https://169.254.169.254/latest/meta-data',
  'https://100.100.100.200/x.png',
  'https://metadata.google.internal/x.png',
  'https://localhost/x.png',
  'https://LOCALHOST./x.png',
  'https://intranet/x.png',
  'https://printer.local/x.png',
  'https://inside.example.com/x.png',
  'https://INSIDE.example.com./x.png',
  'https://both.example.com/x.png',
  'https://mapped.example.com/x.png',
  'https://pictures.example.com@127.0.0.1/x.png',
  'https://me:secret-word@pictures.example.com/x.png',
  'https://pictures.example.com\\@127.0.0.1/x.png',
  'https://pictures.example.com:6379/x.png',
]

describe.each(kinds)('over %s, as a %s', (wire, kind) => {
  const name = `${wire} ${kind}`
  test.each(inner)('%s is refused with its place, before anything is held or sent', async (url) => {
    await world.settled()
    const before = await world.balance()
    const reply = await asked(key, wire, `test/${wire}`, [part[name]!(url)])
    expectRefusal(reply, { status: 400, code: 'LINK_NOT_USABLE', param: field[name]! })
    expect(upstream.calls).toHaveLength(0)
    expect(await world.balance()).toEqual(before)
  })

  test('one on the public internet, and one whose name is not found here, go along as they are', async () => {
    for (const host of ['pictures.example.com', 'nowhere.example.com', 'does-not-exist.invalid']) {
      const url = `https://${host}/x.png?signature=a%20b#c`
      const reply = await asked(key, wire, `test/${wire}`, [part[name]!(url)])
      expect(reply.status, reply.text).toBe(200)
      expect(JSON.stringify(upstream.calls.at(-1)!.body)).toContain(JSON.stringify(url))
    }
  })

  test.each(['provider', 'model'])(
    'the operator’s takes_links: true of the %s alone skips the question',
    async (where) => {
      const url = 'https://127.0.0.1/x.png'
      const reply = await asked(key, wire, `test/${wire}-${where}`, [part[name]!(url)])
      expect(reply.status, reply.text).toBe(200)
      expect(JSON.stringify(upstream.calls[0]!.body)).toContain(url)
      expect(lookedUp).toEqual([])
    },
  )
})

test('where one of several deployments is not trusted, the link is looked at', async () => {
  const reply = await asked(key, 'messages', 'test/mixed', [
    part['messages picture']!('https://127.0.0.1/x.png'),
  ])
  expectRefusal(reply, { status: 400, code: 'LINK_NOT_USABLE', param: field['messages picture']! })
})

test('links inside results of tools and inside documents are looked at too', async () => {
  const link = part['messages picture']!('https://inside.example.com/x.png')
  const mixed = {
    type: 'document',
    source: { type: 'content', content: [{ type: 'text', text: 'a' }, link] },
  }
  const called = [user('look'), { role: 'assistant', content: [toolUse('toolu_1')] }]
  for (const [content, param] of [
    [[toolResult('toolu_1', [link])], 'messages.2.content.0.content.0.source.url'],
    [
      [toolResult('toolu_1', [{ type: 'text', text: 'x' }]), mixed],
      'messages.2.content.1.source.content.1.source.url',
    ],
  ] as const) {
    const messages = [...called, user(content as never)]
    const reply = await message(key, { model: 'test/messages', max_tokens: 100, messages })
    expectRefusal(reply, { status: 400, code: 'LINK_NOT_USABLE', param })
  }
  const output = [part['responses file']!('https://10.1.2.3/a.pdf')]
  const reply = await key.post('/v1/responses', {
    model: 'test/responses',
    input: [
      { role: 'user', content: 'look' },
      { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output },
    ],
  })
  expectRefusal(reply, { status: 400, code: 'LINK_NOT_USABLE', param: 'input.2.output.0.file_url' })
  expect(upstream.calls).toHaveLength(0)
})

test('rows of batches are looked at too, each for itself', async () => {
  const params = {
    model: 'test/messages',
    messages: [{ role: 'user', content: [part['messages picture']!('https://169.254.169.254/x.png')] }],
  }
  const made = await batches.create(key, [
    batches.row('inside', params),
    batches.row('well', { model: 'test/messages' }),
  ])
  expect(made.status, made.text).toBe(200)
  await batches.ended(key, made.body.id)
  const rows = await batches.results(key, made.body.id)
  const inside = rows.find(({ custom_id }) => custom_id === 'inside')
  expect(JSON.stringify(inside.result)).toContain('LINK_NOT_USABLE')
  expect(rows.find(({ custom_id }) => custom_id === 'well').result.type).toBe('succeeded')
  expect(JSON.stringify(upstream.calls.map(({ body }) => body))).not.toContain('169.254')
})

test('many links cost a bounded number of look-ups at once, one for each host', async () => {
  const release = Promise.withResolvers<void>()
  // Of a caller who left, a look-up may still wait.
  const { atOnce } = now
  // They go on as soon as eight wait and whoever would begin at once with them has begun: none waits so long that it is given up.
  slow = () => {
    if (now.atOnce === atOnce + 8) setImmediate(() => release.resolve())
    return release.promise
  }
  const hosts = Array.from({ length: 30 }, (_, at) => `slow-${at}.example.com`)
  const links = [...hosts, ...hosts].map((host, at) => part['chat picture']!(`https://${host}/${at}.png`))
  expect((await asked(key, 'chat', 'test/chat', links)).status).toBe(200)
  expect(lookedUp.toSorted()).toEqual(hosts.toSorted())
  expect(now.max).toBe(atOnce + 8)
})

test('a name server that does not answer keeps nobody for long', async () => {
  slow = () => new Promise(() => {})
  const reply = await asked(key, 'chat', 'test/chat', [
    part['chat picture']!('https://slow-a.example.com/x.png'),
  ])
  expect(reply.status, reply.text).toBe(200)
})

test('links to more hosts than are looked up are refused', async () => {
  const links = Array.from({ length: 65 }, (_, at) =>
    part['chat picture']!(`https://h${at}.example.com/x.png`),
  )
  const reply = await asked(key, 'chat', 'test/chat', links)
  expectRefusal(reply, { status: 400, code: 'LINK_NOT_USABLE', param: 'messages.0.content.64.image_url.url' })
  expect(lookedUp).toEqual([])
})
