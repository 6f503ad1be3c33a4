import { randomUUID } from 'node:crypto'
import { strToU8 } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openGuardedClient } from '#platform/net'
import { recall, requireKnowledge } from '#work/knowledge'
import { expectRefusal } from '../contract/refusal.ts'
import { pdfOf } from '../core/tools/pdf.ts'
import { selfSigned } from '../harness/certificate.ts'
import type { Client, Seen } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'
import { openSite, type Site } from '../platform/net/sites.ts'
import {
  add,
  added,
  base64,
  create,
  docxOf,
  find,
  paragraph,
  path,
  read,
  remove,
  textsFound,
} from './knowledge-world.ts'

const clock = new MovableClock()
const tls = selfSigned('pages.example.test')
let site: Site
let world: World
let key: Client
beforeAll(async () => {
  site = await openSite((request, response) => {
    const html = { 'content-type': 'text/html; charset=utf-8' }
    if (request.url === '/page')
      response
        .writeHead(200, html)
        .end('<title>راهنما</title><h2>پشتیبانی</h2><p>تلفن پشتیبانی ۱۲۳۴۵ است.</p>')
    else if (request.url === '/pdf')
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdfOf(['Warranty lasts two years.']))
    else if (request.url === '/inside') response.writeHead(302, { location: 'https://127.0.0.1/x' }).end()
    else if (request.url === '/picture') response.writeHead(200, { 'content-type': 'image/png' }).end('x')
    else response.writeHead(404, html).end('none')
  }, tls)
  const net = openGuardedClient({
    allowedCidrs: ['127.0.0.0/8'],
    ca: tls.cert,
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  world = await boot({ clock, net })
  key = await world.key()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const page = (at: string) => `https://pages.example.test:${site.port}${at}`
const many = async (table: string, id: string): Promise<number> => {
  const [row] = await world.app.db.query<{ n: number }>(
    { text: `select count(*)::int as n from knowledge.${table} where knowledge_id = $1` },
    [id],
  )
  return row!.n
}
const pending = () => world.app.db.query({ text: 'select key from storage.pending_blobs' }, [])

test('a knowledge project is made, read, changed and listed', async () => {
  const made = await key.post(path, { name: 'قوانین', instructions: 'فقط از متن بگو.' })
  expect(made.status, made.text).toBe(201)
  const { id } = made.body
  expect(made.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'قوانین',
    instructions: 'فقط از متن بگو.',
    sources: 0,
    passages: 0,
    created_at: expect.any(String),
    updated_at: made.body.created_at,
  })
  expect((await key.get(`${path}/${id}`)).body).toEqual(made.body)
  clock.moveMs(1000)
  const changed = await key.request(
    'PATCH',
    `${path}/${id}`,
    JSON.stringify({ name: 'تازه', instructions: null }),
  )
  expect(changed.body).toMatchObject({
    id,
    name: 'تازه',
    instructions: null,
    created_at: made.body.created_at,
  })
  expect(changed.body.updated_at).not.toBe(made.body.updated_at)
})

test('projects are listed newest first, page by page', async () => {
  const other = await world.key({ project: await world.newProject() })
  const ids: string[] = []
  for (const name of ['یک', 'دو', 'سه']) {
    clock.moveMs(1)
    ids.unshift(await create(other, { name }))
  }
  const first = await other.get(`${path}?limit=2`)
  expect(first.body).toMatchObject({ has_more: true, last_id: ids[1] })
  const next = await other.get(`${path}?limit=2&after_id=${ids[1]}`)
  expect(next.body).toMatchObject({ has_more: false, last_id: ids[2] })
  expect([...first.body.data, ...next.body.data].map((item) => item.id)).toEqual(ids)
})

test('an address that the database cannot keep is refused', async () => {
  const url = 'https://example.com/\u0000'
  const reply = await add(key, await create(key), { type: 'url', url })
  expectRefusal(reply, { status: 400, code: 'INVALID_REQUEST', param: 'url' })
})

test('a refusal says in both languages what would do', async () => {
  const id = await create(key)
  const messageIn = async (language: string, ask: (headers: Record<string, string>) => Promise<Seen>) =>
    (await ask({ 'accept-language': language })).body.error.message as string
  const csv = (headers: Record<string, string>) => add(key, id, { type: 'csv', text: 'x' }, headers)
  for (const language of ['en', 'fa'])
    expect(await messageIn(language, csv)).toMatch(/"text".+"pdf".+"docx".+"url"/)
  const nothing = (headers: Record<string, string>) => key.request('PATCH', `${path}/${id}`, '{}', headers)
  expect(await messageIn('en', nothing)).toContain('at least one field')
  expect(await messageIn('fa', nothing)).toContain('دست‌کم ۱ فیلد')
})

describe('sources', () => {
  let id: string
  beforeAll(async () => {
    id = await create(key)
  })

  test('a text is queued, read in the background, and found with its place and headings', async () => {
    const text = '# ارسال\n\nکالا تا سه روز کاری می‌رسد.\n\n# مرجوعی\n\nتا هفت روز می‌توانید پس بدهید.'
    const made = await add(key, id, { type: 'text', title: 'آیین‌نامه', text })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(String),
      knowledge_id: id,
      type: 'text',
      title: 'آیین‌نامه',
      url: null,
      state: 'queued',
      problem: null,
      bytes: Buffer.byteLength(text),
      characters: null,
      passages: null,
      cut: false,
      created_at: expect.any(String),
      indexed_at: null,
      vectors: null,
    })
    const source = await read(key, id, made.body.id)
    expect(source).toMatchObject({
      state: 'ready',
      characters: text.length,
      passages: 2,
      indexed_at: expect.any(String),
    })
    const { body } = await find(key, id, 'چند روز فرصت پس دادن دارم؟', 1)
    expect(body.data).toEqual([
      {
        source: { id: source.id, title: 'آیین‌نامه', url: null },
        position: 1,
        heading: 'مرجوعی',
        text: 'تا هفت روز می‌توانید پس بدهید.',
        score: expect.any(Number),
      },
    ])
    await until(async () => (await pending()).length === 0)
    expect(await world.app.storage.get(`knowledge/${world.account}/${source.id}`)).toBeUndefined()
  })

  test('a PDF is read with its pages', async () => {
    const pdf = pdfOf(['Refunds are paid within ten days.'], ['Gift cards are never refunded.'])
    const source = await added(key, id, { type: 'pdf', data: base64(pdf) })
    expect(source).toMatchObject({ state: 'ready', type: 'pdf', bytes: pdf.length, title: null })
    expect((await textsFound(key, id, 'are gift cards refunded?'))[0]).toContain('Gift cards')
  })

  test('a Word file is read in its order, with headings, tables and notes, each text once', async () => {
    const styles =
      '<w:styles><w:style w:type="paragraph" w:styleId="Titre1"><w:name w:val="heading 1"/></w:style></w:styles>'
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`
    const docx = docxOf(
      [
        paragraph('بخش نخست', 'Titre1'),
        `<w:p><w:r><w:t>پرداخت </w:t></w:r><w:r><w:t xml:space="preserve">با کارت &amp; نقد &#1548; آری</w:t></w:r><w:del><w:delText>پاک‌شده</w:delText></w:del></w:p>`,
        `<w:tbl><w:tr>${cell('تهران')}${cell('۵۰۰')}</w:tr><w:tr>${cell('شیراز')}${cell('۷۰۰')}</w:tr></w:tbl>`,
        '<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>کادر</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>کادر</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>',
      ].join(''),
      {
        'word/styles.xml': strToU8(styles),
        'word/footnotes.xml': strToU8(`<w:footnotes>${paragraph('پانوشت یک')}</w:footnotes>`),
        'docProps/core.xml': strToU8('<cp><dc:title>نرخ‌نامه</dc:title></cp>'),
      },
    )
    const source = await added(key, id, { type: 'docx', data: base64(docx) })
    expect(source).toMatchObject({ state: 'ready', title: 'نرخ‌نامه' })
    const { body } = await find(key, id, 'نرخ‌نامه پرداخت شیراز', 1)
    expect(body.data[0]).toMatchObject({
      heading: 'بخش نخست',
      text: 'پرداخت با کارت & نقد ، آری\n\nتهران | ۵۰۰\n\nشیراز | ۷۰۰\n\nکادر\n\nپانوشت یک',
    })
  })

  test('a page and a PDF behind an address are read, and cited by it', async () => {
    const source = await added(key, id, { type: 'url', url: page('/page') })
    expect(source).toMatchObject({ state: 'ready', title: 'راهنما', url: page('/page'), bytes: null })
    const { body } = await find(key, id, 'شماره تلفن پشتیبانی', 1)
    expect(body.data[0].source).toEqual({ id: source.id, title: 'راهنما', url: page('/page') })
    expect((await added(key, id, { type: 'url', url: page('/pdf') })).state).toBe('ready')
    expect((await textsFound(key, id, 'warranty'))[0]).toContain('two years')
  })

  test('of sources that cannot be read the words say why, in the language of the reader', async () => {
    const bomb = docxOf('', { 'word/document.xml': [new Uint8Array(65 * 1024 * 1024), { level: 9 }] })
    const entity = docxOf('', {
      'word/document.xml': strToU8(
        '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:document>&b;</w:document>',
      ),
    })
    const cases: [Record<string, unknown>, string][] = [
      [{ type: 'docx', data: base64(bomb) }, 'unreadable'],
      [{ type: 'docx', data: base64(entity) }, 'unreadable'],
      [{ type: 'docx', data: base64(Buffer.from('PK\x03\x04 and nothing')) }, 'unreadable'],
      [{ type: 'docx', data: base64(docxOf(paragraph(' '))) }, 'no_text'],
      [{ type: 'pdf', data: base64(Buffer.from('%PDF-1.4 broken')) }, 'no_text'],
      [{ type: 'url', url: page('/missing') }, 'url_not_accessible'],
      [{ type: 'url', url: page('/picture') }, 'unsupported_content_type'],
    ]
    const before = await many('passages', id)
    const made = await Promise.all(cases.map(([body]) => add(key, id, body)))
    for (const [index, [, code]] of cases.entries()) {
      const source = await read(key, id, made[index]!.body.id)
      expect(source, JSON.stringify(cases[index]).slice(0, 100)).toMatchObject({
        state: 'failed',
        problem: { code, message: expect.stringMatching(/^[ -~—…]+$/) },
        passages: null,
      })
    }
    const persian = await key.get(`${path}/${id}/sources/${made[0]!.body.id}`, { 'accept-language': 'fa' })
    expect(persian.body.problem.message).toMatch(/[ا-ی]/)
    expect(await many('passages', id)).toBe(before)
    await until(async () => (await pending()).length === 0)
  })

  test('what is no source is refused at once', async () => {
    const pdf = base64(pdfOf(['x']))
    const large = Buffer.alloc(10 * 1024 * 1024 + 1)
    large.write('%PDF-1.4')
    const invalid = { status: 400, code: 'INVALID_REQUEST' }
    const cases: [unknown, { status: number; code: string; param?: string }][] = [
      [
        { type: 'text', text: ' \n ' },
        { ...invalid, param: 'text' },
      ],
      [
        { type: 'text', text: 'x'.repeat(2_000_001) },
        { ...invalid, param: 'text' },
      ],
      [
        { type: 'pdf', data: 'a-b' },
        { ...invalid, param: 'data' },
      ],
      [
        { type: 'pdf', data: base64(docxOf('')) },
        { ...invalid, param: 'data' },
      ],
      [
        { type: 'pdf', data: base64(large) },
        { ...invalid, param: 'data' },
      ],
      [
        { type: 'docx', data: pdf },
        { ...invalid, param: 'data' },
      ],
      [
        { type: 'url', url: 'http://example.com/' },
        { ...invalid, param: 'url' },
      ],
      [
        { type: 'url', url: 'https://u:p@example.com/' },
        { ...invalid, param: 'url' },
      ],
      [
        { type: 'url', url: 'example.com/page' },
        { ...invalid, param: 'url' },
      ],
      [
        { type: 'url', url: `https://example.com/${'a'.repeat(2029)}` },
        { ...invalid, param: 'url' },
      ],
    ]
    const before = await many('sources', id)
    await until(async () => (await pending()).length === 0)
    for (const [body, refusal] of cases)
      expectRefusal(await add(key, id, body), refusal, JSON.stringify(body).slice(0, 80))
    expect(await many('sources', id)).toBe(before)
    expect(await pending()).toEqual([])
  })

  test('a text of two million characters is read whole', async () => {
    const text = 'واژه‌ای تازه. '.repeat(142_858).slice(0, 2_000_000)
    const source = await added(key, id, { type: 'text', text, title: 'بزرگ' })
    expect(source).toMatchObject({ state: 'ready', cut: false })
    expect(source.passages).toBeGreaterThan(1_300)
    expect((await remove(key, `${id}/sources/${source.id}`)).status).toBe(200)
  })

  test('a deleted source is found no more, and its passages are gone', async () => {
    const source = await added(key, id, { type: 'text', text: 'شغال‌های بنفش' })
    expect(await textsFound(key, id, 'شغال')).toEqual(['شغال‌های بنفش'])
    expect((await remove(key, `${id}/sources/${source.id}`)).body).toEqual({ id: source.id, deleted: true })
    expect(await textsFound(key, id, 'شغال')).toEqual([])
    expectRefusal(await remove(key, `${id}/sources/${source.id}`), {
      status: 404,
      code: 'NOT_FOUND',
      param: 'source_id',
    })
    const { body } = await key.get(`${path}/${id}/sources?limit=100`)
    expect(body.data.map((item: { id: string }) => item.id)).not.toContain(source.id)
  })

  test('a deleted project takes everything with it', async () => {
    const gone = await create(key)
    await added(key, gone, { type: 'text', text: 'چیزی' })
    expect((await remove(key, gone)).body).toEqual({ id: gone, deleted: true })
    expect([await many('projects', gone), await many('sources', gone), await many('passages', gone)]).toEqual(
      [0, 0, 0],
    )
    expectRefusal(await key.get(`${path}/${gone}`), { status: 404, code: 'KNOWLEDGE_NOT_FOUND', param: 'id' })
  })
})

test('a source of another project is missing in one’s own, and nothing of it is found', async () => {
  const id = await create(key)
  const source = await added(key, id, { type: 'text', text: 'راز بزرگ' })
  const sibling = await world.key({ project: await world.newProject() })
  const own = await create(sibling)
  expectRefusal(await sibling.get(`${path}/${own}/sources/${source.id}`), {
    status: 404,
    code: 'NOT_FOUND',
    param: 'source_id',
  })
  expectRefusal(await remove(sibling, `${own}/sources/${source.id}`), {
    status: 404,
    code: 'NOT_FOUND',
    param: 'source_id',
  })
  expect(await textsFound(sibling, own, 'راز')).toEqual([])
  expect(await textsFound(key, id, 'راز')).toEqual(['راز بزرگ'])
})

test('nothing found is no failure, whatever is sought', async () => {
  const id = await create(key)
  await added(key, id, { type: 'text', text: 'متن' })
  const search = (body: unknown) => key.post(`${path}/${id}/search`, body)
  for (const query of ['هیچ', '؟!', "' & | ! <-> :* \\ 'a':1A", 'x'.repeat(1000), '"', '«»'])
    expect((await search({ query, limit: 20 })).body, query).toEqual({
      data: [],
      by: ['words'],
      problem: null,
    })
})

test('rooms that work with a knowledge project get its passages, and the same refusal', async () => {
  const id = await create(key, { name: 'نام', instructions: 'چنین کن' })
  const source = await added(key, id, { type: 'text', title: 'عنوان', text: '# سر\n\nفیل‌ها بزرگ‌اند.' })
  const place = { accountId: world.account, projectId: world.project, knowledgeId: id }
  expect(await requireKnowledge(world.app, place)).toEqual({
    knowledgeId: id,
    name: 'نام',
    instructions: 'چنین کن',
  })
  expect(await recall(world.app, place, 'فیل')).toEqual([
    { url: `urn:uuid:${source.id}#0`, title: 'عنوان › سر', text: 'فیل‌ها بزرگ‌اند.' },
  ])
  for (const other of [
    { knowledgeId: randomUUID() },
    { projectId: await world.newProject() },
    { knowledgeId: 'x' },
  ])
    await expect(requireKnowledge(world.app, { ...place, ...other })).rejects.toMatchObject({
      code: 'KNOWLEDGE_NOT_FOUND',
      more: { param: 'knowledge_id' },
    })
})
