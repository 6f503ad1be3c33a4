/** Links to images and documents: passed on to upstreams that open them, fetched once for those that do not. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { png } from '../clients/media-samples.ts'
import { expectRefusal } from '../contract/refusal.ts'
import { json } from '../harness/upstream.ts'
import { openWire } from '../platform/net/sites.ts'
import { explained, requestIdOf } from '../text/chat-world.ts'
import { message, toolResult, toolUse, user } from '../text/messages-world.ts'
import {
  asked,
  bootMedia,
  cost,
  type Json,
  type MediaWorld,
  pdf,
  placeOf,
  replyTo,
  shareMedia,
  type WireName,
  wires,
} from './media-world.ts'

let at: MediaWorld
const vast = 11 * 1024 * 1024
beforeAll(async () => {
  at = await shareMedia({
    serve: (path, response) => {
      if (path === '/page.png') response.setHeader('content-type', 'image/png').end('<html>a page</html>')
      else if (path === '/inside') response.writeHead(302, { location: 'https://10.0.0.1/a.png' }).end()
      else if (path === '/vast.png')
        response.end(Buffer.concat([Buffer.from(png, 'base64'), Buffer.alloc(vast)]))
      else if (path === '/broken.pdf') response.end('%PDF-1.7\n%%EOF\n')
      else if (/^\/[0-9]+\.png$/.test(path)) response.end(Buffer.from(png, 'base64'))
      else response.writeHead(404).end()
    },
  })
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(() => {
  at.upstream.calls.length = 0
  at.site.seen.length = 0
})

const picture: Record<'chat' | 'messages', (url: string) => Json> = {
  chat: (url) => ({ type: 'image_url', image_url: { url, detail: 'low' } }),
  messages: (url) => ({ type: 'image', source: { type: 'url', url }, cache_control: { type: 'ephemeral' } }),
}
const file: Record<'responses' | 'messages', (url: string) => Json> = {
  responses: (url) => ({ type: 'input_file', file_url: url, filename: 'report.pdf' }),
  messages: (url) => ({ type: 'document', source: { type: 'url', url }, title: 'Report' }),
}
const png64 = `data:image/png;base64,${png}`
const pdf64 = `data:application/pdf;base64,${pdf(3)}`

/** The first part of the user's message as the upstream was asked. */
const partSent = (): Json => {
  const body = at.upstream.calls.at(-1)?.body as Json
  return (body['messages'] ?? body['input'])[0].content[0]
}

type LinkCase = [from: 'chat' | 'responses' | 'messages', kind: 'picture' | 'file', to: WireName]
const cases: LinkCase[] = wires.flatMap((to): LinkCase[] => [
  ['chat', 'picture', to],
  ['messages', 'picture', to],
  ['responses', 'file', to],
  ['messages', 'file', to],
])
const made = (from: WireName, kind: LinkCase[1], link: string): Json =>
  kind === 'picture' ? picture[from as 'chat'](link) : file[from as 'messages'](link)

/** How each wire says the same with a link, and with its bytes. */
const written: Record<WireName, Record<LinkCase[1], { link: (url: string) => Json; data: Json }>> = {
  chat: {
    picture: {
      link: (url) => ({ type: 'image_url', image_url: { url } }),
      data: { image_url: { url: png64 } },
    },
    file: { link: () => ({}), data: {} },
  },
  responses: {
    picture: { link: (url) => ({ type: 'input_image', image_url: url }), data: { image_url: png64 } },
    file: { link: (url) => ({ type: 'input_file', file_url: url }), data: { file_data: pdf64 } },
  },
  messages: {
    picture: {
      link: (url) => ({ type: 'image', source: { type: 'url', url } }),
      data: { source: { type: 'base64', media_type: 'image/png', data: png } },
    },
    file: {
      link: (url) => ({ type: 'document', source: { type: 'url', url } }),
      data: { source: { type: 'base64', media_type: 'application/pdf', data: pdf(3) } },
    },
  },
}
const linkOf = (kind: LinkCase[1]): string => at.link(kind === 'picture' ? '/a.png' : '/a.pdf')
const sentText = (): string => JSON.stringify(at.upstream.calls.at(-1)!.body)

test.each(cases.filter(([, kind, to]) => kind === 'picture' || to !== 'chat'))(
  'from %s a %s goes to an upstream of %s as the link that it is',
  async (from, kind, to) => {
    const link = linkOf(kind)
    const reply = await asked(at.key, from, `test/${to}`, [made(from, kind, link)])
    expect(reply.status, reply.text).toBe(200)
    expect(sentText()).toContain(JSON.stringify(link))
    expect(at.site.seen).toHaveLength(0)
    // The name of a file stands before it on other wires.
    if (kind === 'picture') expect(partSent()).toMatchObject(written[to][kind].link(link))
  },
)

test.each(cases)(
  'from %s a %s goes as data to an upstream of %s that opens no links',
  async (from, kind, to) => {
    const link = linkOf(kind)
    const reply = await asked(at.key, from, `test/${to}-blind`, [made(from, kind, link)])
    expect(reply.status, reply.text).toBe(200)
    expect(sentText()).not.toContain(link)
    expect(sentText()).toContain(kind === 'picture' ? png : pdf(3))
    expect(at.site.seen).toHaveLength(1)
    if (kind === 'picture' || from === to) expect(partSent()).toMatchObject(written[to][kind].data)
  },
)

test('a document goes as data over chat, which knows no links to documents', async () => {
  const reply = await asked(at.key, 'messages', 'test/chat', [file.messages(at.link('/a.pdf'))])
  expect(reply.status, reply.text).toBe(200)
  expect(sentText()).toContain(pdf64)
  expect(at.site.seen).toHaveLength(1)
})

describe('a body whose links were fetched keeps everything else', () => {
  test('chat', async () => {
    const parts = [
      { ...picture.chat(at.link('/a.png')), of_tomorrow: 1 },
      { type: 'text', text: 'look' },
    ]
    await asked(at.key, 'chat', 'test/chat-blind', parts)
    const body = at.upstream.calls[0]!.body as Json
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: png64, detail: 'low' }, of_tomorrow: 1 },
          { type: 'text', text: 'look' },
        ],
      },
    ])
  })

  test('messages: in documents and in results of tools too', async () => {
    const link = at.link('/a.png')
    const { source: _link, ...rest } = picture.messages(link)
    const seen = { ...rest, source: { type: 'base64', media_type: 'image/png', data: png } }
    const mixed = (inner: Json) => ({
      type: 'document',
      source: { type: 'content', content: [{ type: 'text', text: 'a' }, inner] },
      cache_control: { type: 'ephemeral', ttl: '1h' },
    })
    const messagesWith = (inner: Json) => [
      user('look'),
      { role: 'assistant', content: [toolUse('toolu_1')] },
      user([toolResult('toolu_1', [inner, mixed(inner)]), mixed(inner), { type: 'text', text: 'so?' }]),
    ]
    const messages = messagesWith(picture.messages(link))
    const reply = await message(at.key, { model: 'test/messages-blind', max_tokens: 100, messages })
    expect(reply.status, reply.text).toBe(200)
    expect((at.upstream.calls[0]!.body as Json)['messages']).toEqual(messagesWith(seen))
    expect(at.site.seen).toHaveLength(1)
  })

  test('responses: in outputs of functions too', async () => {
    const messagesWith = (part: Json) => [
      { role: 'user', content: [part] },
      { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: [part] },
    ]
    const reply = await at.key.post('/v1/responses', {
      model: 'test/responses-blind',
      input: messagesWith({ type: 'input_file', file_url: at.link('/a.pdf') }),
    })
    expect(reply.status, reply.text).toBe(200)
    const sent = { type: 'input_file', filename: 'document.pdf', file_data: pdf64 }
    expect((at.upstream.calls[0]!.body as Json)['input']).toEqual(messagesWith(sent))
    expect(at.site.seen).toHaveLength(1)
  })
})

test('redirects are followed', async () => {
  const reply = await asked(at.key, 'chat', 'test/chat-blind', [picture.chat(at.link('/moved'))])
  expect(reply.status, reply.text).toBe(200)
  expect(sentText()).toContain(png)
  expect(at.site.seen.map(({ url }) => url)).toEqual(['/moved', '/a.png'])
})

test('a link is fetched once for all attempts and all fallbacks, and costs what the upstream counted', async () => {
  const busy = json(503, { error: { message: 'busy' } })
  at.upstream.replyOnce(busy, busy, busy)
  await at.world.settled()
  const before = await at.world.balance()
  const reply = await asked(at.key, 'chat', 'test/mixed', [picture.chat(at.link('/a.png'))])
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body.model).toBe('test/chat-blind')
  expect(at.upstream.calls.length).toBeGreaterThan(2)
  for (const { body } of at.upstream.calls) expect(JSON.stringify(body)).toContain(png64)
  expect(at.site.seen).toHaveLength(1)
  await at.world.settled()
  expect(await at.world.balance()).toEqual({ available: before.available - cost, held: 0n })
})

/** What is held while the upstream is asked. */
async function heldFor(wire: WireName, model: string, parts: readonly unknown[]): Promise<bigint> {
  await at.world.settled()
  let held = 0n
  at.upstream.reply(async ({ path }) => {
    held = (await at.world.balance()).held
    return replyTo(path)
  })
  const reply = await asked(at.key, wire, model, parts)
  at.upstream.reply(({ path }) => replyTo(path))
  expect(reply.status, reply.text).toBe(200)
  await at.world.settled()
  return held
}
const page = 4_600_000n

describe('the hold', () => {
  test('of a fetched document is that of its pages', async () => {
    const none = await heldFor('messages', 'test/messages-blind', [
      { ...file.messages(''), source: { type: 'content', content: '' } },
    ])
    const three = await heldFor('messages', 'test/messages-blind', [file.messages(at.link('/a.pdf'))])
    expect(three - none).toBe(3n * page)
  })

  test('of a document that only the upstream opens is that of the longest one it reads', async () => {
    const inline = { type: 'base64', media_type: 'application/pdf', data: pdf(1) }
    const one = await heldFor('messages', 'test/messages', [{ ...file.messages(''), source: inline }])
    const linked = await heldFor('messages', 'test/messages', [file.messages(at.link('/a.pdf'))])
    // 200,000 tokens of window, at 4,600 a page.
    expect(linked - one).toBe((44n - 1n) * page)
    const large = await heldFor('messages', 'test/large', [file.messages(at.link('/a.pdf'))])
    expect(large - one).toBe((218n - 1n) * page)
  })
})

const refusals: [string, string, RegExp][] = [
  ['a page that calls itself a picture', '/page.png', /not of type image\/png/],
  ['a document where a picture should be', '/a.pdf', /not of type image\/png/],
  ['what is not there', '/absent', /status 404/],
  ['a redirect into a private network', '/inside', /not on the public internet/],
  ['a picture of 11 MB', '/vast.png', /too large/],
]

describe('a link that cannot be used is refused with its place, in both languages, and costs nothing', () => {
  test.each(refusals)('%s', async (_, path, why) => {
    await at.world.settled()
    const before = await at.world.balance()
    for (const wire of ['chat', 'messages'] as const) {
      const parts = [{ type: 'text', text: 'look' }, picture[wire](at.link(`${path}?signature=secret`))]
      const reply = await asked(at.key, wire, `test/${wire}-blind`, parts)
      const field = wire === 'chat' ? 'image_url.url' : 'source.url'
      const param = `${placeOf(wire, 1)}.${field}`
      expectRefusal(reply, { status: 400, code: 'LINK_NOT_USABLE', param })
      expect(reply.body.error.message).toMatch(why)
      expect(reply.body.error.message).toContain(at.link(path))
      expect(reply.text).not.toContain('secret')
    }
    expect(at.upstream.calls).toHaveLength(0)
    expect(await at.world.balance()).toEqual(before)
  })

  test('a private address, and a name that nobody can reach', async () => {
    for (const url of [
      'https://10.0.0.1/a.png',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/a.png',
    ]) {
      const reply = await asked(at.key, 'chat', 'test/chat-blind', [picture.chat(url)])
      expectRefusal(reply, {
        status: 400,
        code: 'LINK_NOT_USABLE',
        param: `${placeOf('chat')}.image_url.url`,
      })
      expect(reply.body.error.message).toContain('not on the public internet')
    }
  })

  test('a file of the responses wire, in Persian', async () => {
    const reply = await at.key.post(
      '/v1/responses',
      {
        model: 'test/responses-blind',
        input: [{ role: 'user', content: [file.responses(at.link('/a.png'))] }],
      },
      { 'accept-language': 'fa' },
    )
    expectRefusal(reply, { status: 400, code: 'LINK_NOT_USABLE', param: 'input.0.content.0.file_url' })
    expect(reply.body.error.message).toMatch(/پیوند .* قابل استفاده نیست/)
  })

  test('a fetched document that is broken', async () => {
    const reply = await asked(at.key, 'messages', 'test/messages-blind', [
      file.messages(at.link('/broken.pdf')),
    ])
    expectRefusal(reply, { status: 400, code: 'INVALID_MEDIA', param: `${placeOf('messages')}.source.url` })
  })

  test('more than 20 links; the same one counts once', async () => {
    const links = (count: number) =>
      Array.from({ length: count }, (_, index) => picture.chat(at.link(`/${index}.png`)))
    const param = `${placeOf('chat', 20)}.image_url.url`
    expectRefusal(await asked(at.key, 'chat', 'test/chat-blind', links(21)), {
      status: 400,
      code: 'LINK_NOT_USABLE',
      param,
    })
    expect(at.site.seen).toHaveLength(0)
    const max = [...links(20), ...links(20)]
    expect((await asked(at.key, 'chat', 'test/chat-blind', max)).status).toBe(200)
    expect(at.site.seen).toHaveLength(20)
  })
})

test('what is refused anyway is refused before anything is fetched', async () => {
  const cited = { ...file.messages(at.link('/a.pdf')), citations: { enabled: true } }
  const reply = await asked(at.key, 'messages', 'test/chat-blind', [cited])
  expectRefusal(reply, {
    status: 400,
    code: 'FEATURE_NOT_SUPPORTED',
    param: `${placeOf('messages')}.citations`,
  })
  expect(at.site.seen).toHaveLength(0)
})

test('a link has to begin with https://, and pictures of the responses wire come inline', async () => {
  for (const url of [
    'http://files.example.test/a.png',
    'ftp://a.b',
    'file:///etc/passwd',
    `https://${'a'.repeat(8_192)}`,
  ]) {
    expectRefusal(await asked(at.key, 'chat', 'test/chat', [picture.chat(url)]), {
      status: 400,
      code: 'INVALID_MEDIA',
      param: `${placeOf('chat')}.image_url.url`,
    })
    expectRefusal(await asked(at.key, 'responses', 'test/responses', [file.responses(url)]), {
      status: 400,
      code: 'INVALID_MEDIA',
      param: `${placeOf('responses')}.file_url`,
    })
  }
  const image = { type: 'input_image', image_url: at.link('/a.png') }
  expectRefusal(await asked(at.key, 'responses', 'test/responses', [image]), {
    status: 400,
    code: 'INVALID_MEDIA',
    param: `${placeOf('responses')}.image_url`,
  })
  const both = { ...file.responses(at.link('/a.pdf')), file_data: pdf64 }
  expectRefusal(await asked(at.key, 'responses', 'test/responses', [both]), {
    status: 400,
    code: 'INVALID_MEDIA',
    param: `${placeOf('responses')}.file_data`,
  })
  expect(at.upstream.calls).toHaveLength(0)
})

test('the sandbox, which works offline, takes a link unopened and says so', async () => {
  const reply = await asked(at.key, 'chat', 'sandbox/omni', [picture.chat(at.link('/a.png'))])
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body.choices[0].message.content).toContain('opens no links')
  expect(at.site.seen).toHaveLength(0)
})

test('a host that does not answer in time refuses the request; nothing was held', async () => {
  await using silent = await openWire(() => {})
  await using hasty = await bootMedia({
    client: (usual) => ({ fetch: (url, ask) => usual.fetch(url, { ...ask, timeoutMs: 200 }) }),
  })
  await hasty.world.settled()
  const before = await hasty.world.balance()
  const link = `https://files.example.test:${silent.port}/a.png`
  const reply = await asked(hasty.key, 'chat', 'test/chat-blind', [picture.chat(link)])
  expectRefusal(reply, { status: 400, code: 'LINK_NOT_USABLE', param: `${placeOf('chat')}.image_url.url` })
  expect(reply.body.error.message).toContain('in time')
  expect(hasty.upstream.calls).toHaveLength(0)
  expect(await hasty.world.balance()).toEqual(before)
})

test('a caller who disconnects ends the fetch; nothing is held and nobody is asked', async () => {
  await using silent = await openWire(() => {})
  await at.world.settled()
  const before = await at.world.balance()
  const left = new AbortController()
  const link = `https://files.example.test:${silent.port}/a.png`
  const body = JSON.stringify({
    model: 'test/chat-blind',
    messages: [{ role: 'user', content: [picture.chat(link)] }],
  })
  const asking = at.key.raw('POST', '/v1/chat/completions', body, {}, left.signal)
  await expect.poll(() => silent.received()).toBeGreaterThan(0)
  left.abort()
  await expect(asking).rejects.toThrow()
  await expect.poll(() => silent.connections.size).toBe(0)
  expect(at.upstream.calls).toHaveLength(0)
  expect(await at.world.balance()).toEqual(before)
})

test('a refused link gives its idempotency key back', async () => {
  const idempotent = { 'idempotency-key': 'once' }
  const ask = (file: string) =>
    at.key.chat(
      { model: 'test/chat-blind', messages: [{ role: 'user', content: [picture.chat(at.link(file))] }] },
      idempotent,
    )
  expectRefusal(await ask('/absent'), {
    status: 400,
    code: 'LINK_NOT_USABLE',
    param: 'messages.0.content.0.image_url.url',
  })
  const first = await ask('/a.png')
  expect(first.status, first.text).toBe(200)
  const again = await ask('/a.png')
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.text).toBe(first.text)
  expect(at.upstream.calls).toHaveLength(1)
  const { state, microcredits } = await explained(at.key, requestIdOf(first))
  expect({ state, microcredits }).toEqual({ state: 'completed', microcredits: String(cost) })
})

test('a repeat is answered from what is stored, and its link is not fetched again', async () => {
  const ask = (key: string) =>
    at.key.chat(
      { model: 'test/chat-blind', messages: [{ role: 'user', content: [picture.chat(at.link('/a.png'))] }] },
      { 'idempotency-key': key },
    )
  const first = await ask('stored')
  expect(first.status, first.text).toBe(200)
  expect(at.site.seen).toHaveLength(1)
  const again = await ask('stored')
  expect(again.text).toBe(first.text)
  expect(at.site.seen).toHaveLength(1)
})
