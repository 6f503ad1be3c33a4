/** Whole bodies through the thread that checks them. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { declarationOf, Failure } from '#platform/errors'
import { NotJson } from '#platform/json'
import { openSpool, type Spool } from '#platform/spool'
import fc from '../../../../tests/harness/fast-check.ts'
import type { CheckedPublication } from '../publication.ts'
import { type CheckBounds, publicationBytes, SiteChecks } from './check.ts'
import '#platform/http'

const limits = { files: 500, totalBytes: 20_000_000, fileBytes: 15_000_000 }
const nothingKept: CheckBounds = { limits, kept: async () => new Map() }

let folder: string
let spool: Spool
let checks: SiteChecks
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-check-'))
  spool = await openSpool({ folder, maxBytes: 1_000_000_000 })
  checks = new SiteChecks({ spool, atOnce: 2 })
})
afterAll(async () => {
  await checks[Symbol.asyncDispose]()
  await spool[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

type BodyJson = Record<string, unknown>
const base64 = (content: string | Buffer): string => Buffer.from(content as string).toString('base64')
const file = (at: string, content: string | Buffer = at): BodyJson => ({
  path: at,
  content: base64(content),
  encoding: 'base64',
})
const index = file('index.html', '<h1>سلام</h1>')
const body = (more: BodyJson = {}): BodyJson => ({
  name: 'وبلاگ',
  confirm_public: true,
  files: [index],
  ...more,
})
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

async function check(sent: BodyJson | string | Buffer, bounds = nothingKept): Promise<CheckedPublication> {
  const text = typeof sent === 'string' || Buffer.isBuffer(sent) ? sent : JSON.stringify(sent)
  const at = path.join(folder, randomUUID())
  await writeFile(at, text)
  try {
    return await checks.check({ path: at, bytes: Buffer.byteLength(text) }, bounds)
  } finally {
    await rm(at)
  }
}

/** Asserts that a publication is refused, with a sentence in both languages. */
async function refused(
  sent: BodyJson | string | Buffer,
  code: string,
  param: string | undefined,
  bounds = nothingKept,
): Promise<Failure> {
  const error = await check(sent, bounds).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error, JSON.stringify(sent).slice(0, 200)).toBeInstanceOf(Failure)
  const failure = error as Failure
  expect([failure.code, failure.more.param]).toEqual([code, param])
  const { en, fa } = declarationOf(code)
  expect(en(failure.detail)).not.toMatch(/undefined|\[object/)
  expect(fa(failure.detail)).toMatch(/[\u0600-\u06ff]/)
  return failure
}
const sentence = ({ code, detail }: Failure): string => declarationOf(code).en(detail)

describe('a publication that may be one', () => {
  test('comes out with the bytes, hashes and types of its files', async () => {
    const picture = randomBytes(100_000)
    const files = [
      index,
      file('css/style.css', 'body { color: red }'),
      file('عکس/گربه.png', picture),
      file('empty.txt', ''),
      file('copy of picture', picture),
      file('_redirects', '/old /new 302'),
      file('_headers', '/*\n  X-Frame-Options: DENY'),
    ]
    await using checked = await check(
      body({ files, slug: 'my-blog', spa: true, cloud_id: '0197f4a2-0000-7000-8000-00000000000A' }),
    )
    expect(checked).toMatchObject({
      name: 'وبلاگ',
      slug: 'my-blog',
      spa: true,
      cloudId: '0197f4a2-0000-7000-8000-00000000000A',
      redirects: [{ from: '/old', to: '/new', status: 302 }],
      headers: [{ path: '/*', headers: [['X-Frame-Options', 'DENY']] }],
    })
    expect(checked.files.map((one) => [one.path, one.mediaType])).toEqual([
      ['index.html', 'text/html; charset=utf-8'],
      ['css/style.css', 'text/css; charset=utf-8'],
      ['عکس/گربه.png', 'image/png'],
      ['empty.txt', 'text/plain; charset=utf-8'],
      ['copy of picture', 'application/octet-stream'],
    ])
    const pack = await readFile(checked.pack!.path)
    expect(checked.pack).toMatchObject({ bytes: pack.length, sha256: sha256(pack) })
    for (const { offset, bytes, sha256: hash } of checked.files)
      expect(sha256(pack.subarray(offset!, offset! + bytes))).toBe(hash)
    // The same content stands in the pack once.
    expect(checked.files[4]!.offset).toBe(checked.files[2]!.offset)
    expect(checked.bytes).toBe(checked.files.reduce((sum, { bytes }) => sum + bytes, 0))
    expect(pack.length).toBe(checked.bytes - picture.length)
  })

  test('is gone from the disk when it is disposed of', async () => {
    const checked = await check(body())
    const { path: pack } = checked.pack!
    expect(existsSync(pack)).toBe(true)
    await checked[Symbol.asyncDispose]()
    expect(existsSync(pack)).toBe(false)
  })

  test('may be written in any spelling of JSON, its slashes escaped', async () => {
    const content = randomBytes(500_000)
    const plain = JSON.stringify(body({ files: [index, file('a/b.bin', content)] }), null, '\t')
    const escaped = plain
      .replaceAll('/', '\\/')
      .replaceAll('"index.html"', '"\\u0069ndex.html"')
      .replace('"encoding"', '"\\u0065ncoding"')
      .replace(
        `"${index['content']}"`,
        `"\\u00${Buffer.from(index['content'] as string)
          .toString('hex')
          .slice(0, 2)}${(index['content'] as string).slice(1)}"`,
      )
    expect(escaped).not.toBe(plain)
    await using one = await check(plain)
    await using other = await check(` ${escaped}\r\n\t `)
    expect(other.files).toEqual(one.files)
    expect(one.files[1]!.sha256).toBe(sha256(content))
  })

  test('has up to 500 files, and 501 are refused', async () => {
    const files = [index, ...Array.from({ length: 499 }, (_, at) => file(`f/${at}.txt`))]
    await using checked = await check(body({ files }))
    expect(checked.files).toHaveLength(500)
    await refused(body({ files: [...files, file('one-more')] }), 'INVALID_REQUEST', 'files')
  })

  test('has files of up to 15,000,000 bytes, and one more is refused', async () => {
    const maxContent = Buffer.alloc(15_000_000)
    await using _ = await check(body({ files: [index, file('a', maxContent)] }))
    await refused(
      body({ files: [index, file('a', Buffer.alloc(15_000_001))] }),
      'INVALID_REQUEST',
      'files.1.content',
    )
  })

  test('has up to 20,000,000 bytes, sent and kept ones together, and one more is refused', async () => {
    const kept = async () => new Map([['0'.repeat(64), 4_999_000]])
    const bounds = { limits, kept }
    const at = (bytes: number) =>
      body({
        files: [
          file('index.html', Buffer.alloc(1_000)),
          file('a', Buffer.alloc(bytes)),
          { path: 'b', sha256: '0'.repeat(64) },
        ],
      })
    await using checked = await check(at(15_000_000), bounds)
    expect(checked.bytes).toBe(20_000_000)
    await refused(at(15_000_000), 'INVALID_REQUEST', 'files', {
      limits,
      kept: async () => new Map([['0'.repeat(64), 4_999_001]]),
    })
    const sent = (bytes: number) =>
      body({ files: [file('index.html', Buffer.alloc(10_000_000)), file('a', Buffer.alloc(bytes))] })
    await using _ = await check(sent(10_000_000))
    await refused(sent(10_000_001), 'INVALID_REQUEST', 'files')
  })

  test('fits into the bytes that its JSON may have, with every path as long as can be and escaped', () => {
    const files = Array.from({ length: 500 }, () => ({
      path: '\\u0061'.repeat(1_024),
      content: '',
      encoding: 'base64',
    }))
    const around = JSON.stringify({ name: 'n', confirm_public: true, files }).replaceAll('\\\\', '\\').length
    expect(publicationBytes(limits)).toBe(32_000_000)
    expect(publicationBytes(limits)).toBeGreaterThan((20_000_000 * 4) / 3 + 4 * 500 + around)
  })

  test('may name contents that a kept version has by their hashes alone', async () => {
    const wanted: string[][] = []
    const kept: CheckBounds['kept'] = async (hashes) => {
      wanted.push([...hashes])
      return new Map([[sha256('old'), 3]])
    }
    const files = [
      index,
      { path: 'old.js', sha256: sha256('old') },
      { path: 'twin.js', sha256: sha256('old') },
    ]
    await using checked = await check(body({ files }), { limits, kept })
    expect(wanted).toEqual([[sha256('old')]])
    expect(checked.files[1]).toEqual({
      path: 'old.js',
      mediaType: 'text/javascript; charset=utf-8',
      sha256: sha256('old'),
      bytes: 3,
      offset: undefined,
    })
    await using all = await check(body({ files: [{ path: 'index.html', sha256: sha256('old') }] }), {
      limits,
      kept,
    })
    expect(all.pack).toBeUndefined()
    const unknown = [index, { path: 'a', sha256: 'f'.repeat(64) }, { path: 'b', sha256: 'e'.repeat(64) }]
    expect(
      sentence(await refused(body({ files: unknown }), 'SITE_FILE_NOT_KEPT', 'files.1.sha256')),
    ).toContain('1 others')
  })
})

describe('of the fields', () => {
  const invisible = ['\u200b', '\u00ad', '\u3164', '\u2800', ' ', '\u200c\u200d', '\u0301']
  test.each([
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'n'.repeat(101) }, 'name'],
    [{ name: '😀'.repeat(101) }, 'name'],
    [{ name: 'n'.repeat(1_000_000) }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ name: 'a\u202eb' }, 'name'],
    [{ name: 'a\ud800' }, 'name'],
    ...invisible.map((name) => [{ name }, 'name'] as [BodyJson, string]),
    [{ name: 5 }, 'name'],
    [{ name: null }, 'name'],
    [{ slug: 5 }, 'slug'],
    [{ slug: 's'.repeat(10_000) }, 'slug'],
    [{ spa: 'yes' }, 'spa'],
    [{ spa: 1 }, 'spa'],
    [{ spa: null }, 'spa'],
    [{ cloud_id: 'x' }, 'cloud_id'],
    [{ cloud_id: `${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}\n` }, 'cloud_id'],
    [{ cloud_id: 'x'.repeat(1_000) }, 'cloud_id'],
    [{ files: undefined }, 'files'],
    [{ files: {} }, 'files'],
    [{ files: [5] }, 'files.0'],
    [{ files: [[]] }, 'files.0'],
    [{ files: [] }, 'files'],
    [{ files: [file('a.html')] }, 'files'],
    [{ files: [file('Index.html')] }, 'files'],
    [{ files: [{ ...index, path: undefined }] }, 'files.0.path'],
    [{ files: [{ ...index, path: 5 }] }, 'files.0.path'],
    [{ files: [{ ...index, path: 'p'.repeat(1_000_000) }] }, 'files.0.path'],
    [{ files: [index, file('a/../b')] }, 'files.1.path'],
    [{ files: [index, file('INDEX.html')] }, 'files.1.path'],
    [{ files: [index, file('a'), file('a/b')] }, 'files.2.path'],
    [{ files: [{ ...index, content: undefined }] }, 'files.0.content'],
    [{ files: [{ ...index, content: null }] }, 'files.0.content'],
    [{ files: [{ ...index, encoding: undefined }] }, 'files.0.encoding'],
    [{ files: [{ ...index, encoding: 'utf-8' }] }, 'files.0.encoding'],
    [{ files: [{ ...index, encoding: 'BASE64' }] }, 'files.0.encoding'],
    [{ files: [index, { ...file('a'), sha256: '0'.repeat(64) }] }, 'files.1.sha256'],
    [{ files: [index, { path: 'a', sha256: '0'.repeat(64), encoding: 'base64' }] }, 'files.1.encoding'],
    [{ files: [index, { path: 'a', sha256: '0'.repeat(63) }] }, 'files.1.sha256'],
    [{ files: [index, { path: 'a', sha256: 'A'.repeat(64) }] }, 'files.1.sha256'],
    [{ files: [index, { path: '_headers', sha256: '0'.repeat(64) }] }, 'files.1.sha256'],
    [{ files: [index, file('_redirects', '/a https://evil.example')] }, 'files.1.content'],
    [{ files: [index, file('_redirects', Buffer.from([0xff]))] }, 'files.1.content'],
    [{ files: [index, file('_headers', 'x'.repeat(2_000_000))] }, 'files.1.content'],
  ])('%j is refused by its place', async (more, param) => {
    await refused(body(more as BodyJson), 'INVALID_REQUEST', param)
  })

  test('the name has up to 100 characters of any alphabet', async () => {
    for (const name of ['n'.repeat(100), '😀'.repeat(100), 'م'.repeat(100), 'می‌خواهم ۱', '!', 'a\u200fb']) {
      await using checked = await check(body({ name }))
      expect(checked.name).toBe(name)
    }
  })

  test.each([undefined, false, 'true', 1, null, [], {}])(
    'confirm_public %j confirms nothing',
    async (said) => {
      await refused(body({ confirm_public: said }), 'CONFIRM_PUBLIC_REQUIRED', 'confirm_public')
    },
  )

  test('unknown ones are refused by their names, whatever those are', async () => {
    await refused(body({ nmae: 1 }), 'UNKNOWN_FIELD', 'nmae')
    await refused(body({ files: [{ ...index, mode: 1 }] }), 'UNKNOWN_FIELD', 'files.0.mode')
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      await refused(JSON.stringify(body()).replace('{', `{"${name}":{"a":1},`), 'UNKNOWN_FIELD', name)
    await refused(body({ ['x'.repeat(100_000)]: 1 }), 'UNKNOWN_FIELD', 'x'.repeat(200))
  })

  test('none is taken twice, however it is spelled', async () => {
    const text = JSON.stringify(body())
    await refused(text.replace('{', '{"name":"a",'), 'INVALID_REQUEST', 'name')
    await refused(text.replace('{', '{"n\\u0061me":"a",'), 'INVALID_REQUEST', 'name')
    await refused(text.replace('[{', '[{"path":"a",'), 'INVALID_REQUEST', 'files.0.path')
  })

  test('up to ten problems are said at once', async () => {
    const files = Array.from({ length: 30 }, (_, at) => file(`a\\${at}`))
    const said = sentence(await refused(body({ files }), 'INVALID_REQUEST', 'files.0.path'))
    expect(said).toContain('files.9.path')
    expect(said).not.toContain('files.10.path')
  })

  test('a path that changes the direction of writing is not repeated', async () => {
    const failure = await refused(
      body({ files: [index, file('a\u202eb')] }),
      'INVALID_REQUEST',
      'files.1.path',
    )
    expect(sentence(failure)).not.toContain('\u202e')
  })
})

describe('Base64', () => {
  const good = Buffer.from('some content of a file, and more').toString('base64')
  test.each([
    'QQ',
    'QQ=',
    'QQ===',
    'Q===',
    '====',
    '=QQQ',
    'QQ==QQ==',
    'QUJD\n',
    'QU JD',
    ' QUJD',
    'QU\tJ',
    'QU-_',
    '-_-_',
    'QUÿD',
    'سلام',
    'QU\u0041\u0142',
    'QU"D',
    'QU\\D',
    'QU\u0000D',
    'Q=QQ',
    'QUJ*',
    `${good.slice(0, 8)}\r\n${good.slice(8)}`,
    'data:;base64,QUJD',
  ])('%j is refused', async (content) => {
    await refused(body({ files: [index, { ...file('a'), content }] }), 'INVALID_REQUEST', 'files.1.content')
  })

  test('of any bytes comes out as those, and one wrong character anywhere is found', async () => {
    await fc.assert(
      fc.asyncProperty(
        // The thread decodes 196,608 bytes at a time.
        fc.oneof(fc.integer({ min: 1, max: 400_000 }), fc.constantFrom(196_607, 196_608, 196_609, 393_216)),
        fc.nat(),
        fc.constantFrom('-', '_', '=', ' ', '.', 'é', '\u{1f600}'),
        async (length, at, wrong) => {
          const bytes = randomBytes(length)
          const content = base64(bytes)
          await using checked = await check(body({ files: [index, { ...file('a'), content }] }))
          expect(checked.files[1]!.sha256).toBe(sha256(bytes))
          const place = at % content.length
          // Padding in place of a last character is another content.
          if (wrong === '=' && place >= content.length - 2) return
          const spoilt = content.slice(0, place) + wrong + content.slice(place + 1)
          await refused(
            body({ files: [index, { ...file('a'), content: spoilt }] }),
            'INVALID_REQUEST',
            'files.1.content',
          )
        },
      ),
      { numRuns: 15 },
    )
  })
})

describe('what is no JSON', () => {
  const whole = JSON.stringify(body())
  test.each([
    '',
    ' ',
    '{',
    'nonsense',
    '{"name"',
    '{"name":}',
    '{"name":"a",}',
    '{name:"a"}',
    "{'name':'a'}",
    '{"name":"a" "spa":true}',
    '{"spa":tru}',
    '{"spa":truely}',
    '{"name":"\\x"}',
    '{"name":"a\nb"}',
    '{"files":[,]}',
    '{"files":[{}{}]}',
    '\ufeff{}',
    `${whole}}`,
    `${whole},`,
    `${whole}x`,
    whole.slice(0, -1),
    whole.replace('"encoding"', '"encoding'),
  ])('%j is refused as such', async (text) => {
    await expect(check(text)).rejects.toBeInstanceOf(NotJson)
  })

  test('and what is not UTF-8', async () => {
    const bytes = Buffer.from(whole, 'utf8')
    bytes[bytes.indexOf('وبلاگ')] = 0xff
    await expect(check(bytes)).rejects.toMatchObject({ trouble: { kind: 'notUtf8' } })
  })

  test.each(['[]', '5', 'null', '"a"', 'true'])('%s is no publication', async (text) => {
    await refused(text, 'INVALID_REQUEST', undefined)
  })

  test('whatever is cut off or changed in a body, it is refused or what JSON.parse makes of it', async () => {
    const bytes = Buffer.from(JSON.stringify(body({ files: [index, file('a.css'), file('b/c.js')] })))
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 0x20, max: 0x7e }), async (at, byte) => {
        const changed = Buffer.from(bytes)
        changed[at] = byte
        const checked = await check(changed).catch((error: unknown) => {
          expect(error instanceof Failure || error instanceof NotJson).toBe(true)
        })
        if (!checked) return
        const parsed = JSON.parse(changed.toString()) as {
          name: string
          files: { path: string; content: string }[]
        }
        expect(checked.name).toBe(parsed.name)
        expect(checked.files.map(({ path: at, sha256: hash }) => [at, hash])).toEqual(
          parsed.files.map((one) => [one.path, sha256(Buffer.from(one.content, 'base64'))]),
        )
        await checked[Symbol.asyncDispose]()
      }),
      { numRuns: 60 },
    )
  })
})

describe('hostile bodies cost little and are refused', () => {
  test.each([
    ['400,000 files', `{"files":[${'{},'.repeat(400_000)}{}]}`],
    ['lists in lists', `{"files":${'['.repeat(5_000_000)}`],
    ['objects in objects', `{"files":[${'{"path":'.repeat(2_000_000)}`],
    ['a million escaped quotes', `{"name":"${'\\"'.repeat(1_000_000)}"}`],
    ['backslashes without end', `{"name":"${'\\'.repeat(10_000_000)}`],
    ['white space', `{${' '.repeat(20_000_000)}`],
    ['a number of many digits', `{"name":${'9'.repeat(10_000_000)}}`],
    ['a name of many bytes', `{"${'n'.repeat(10_000_000)}":1}`],
    [
      'escapes in all of a content',
      `{"files":[{"path":"a","content":"${'\\u0041'.repeat(2_000_000)}","encoding":"x"}]}`,
    ],
    [
      'slashes in all of a content',
      `{"files":[{"path":"a","content":"${'\\/'.repeat(8_000_000)}","encoding":"x"}]}`,
    ],
  ])('%s', async (_, text) => {
    const error = await check(text).catch((thrown: unknown) => thrown)
    expect(error instanceof Failure || error instanceof NotJson).toBe(true)
    expect(error).not.toMatchObject({ code: 'PUBLICATION_NOT_CHECKED' })
  })
})

describe('as many as may be are checked at once', () => {
  test('a further one is told to come back, and is checked when the others are over', async () => {
    const large = body({ files: [index, file('a', Buffer.alloc(10_000_000))] })
    const gate = Promise.withResolvers<ReadonlyMap<string, number>>()
    const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const byHash = body({ files: [index, { path: 'a', sha256: sha256('') }] })
    const open = asked.map(({ resolve }) => {
      const kept = () => {
        resolve()
        return gate.promise
      }
      return check(byHash, { limits, kept })
    })
    await Promise.all(asked.map(({ promise }) => promise))
    const failure = await refused(large, 'PUBLICATIONS_BUSY', undefined)
    expect(failure.status).toBe(429)
    expect(failure.more.retryAfterMs).toBeGreaterThan(0)
    gate.resolve(new Map([[sha256(''), 0]]))
    for (const one of open) await (await one)[Symbol.asyncDispose]()
    await using _ = await check(large)
  })

  test('a spool without room refuses one and keeps nothing of it', async () => {
    await using small = await openSpool({ folder: path.join(folder, 'small'), maxBytes: 1_000 })
    await using few = new SiteChecks({ spool: small, atOnce: 1 })
    const at = path.join(folder, 'body')
    await writeFile(at, JSON.stringify(body({ files: [index, file('a', Buffer.alloc(2_000))] })))
    const bytes = (await readFile(at)).length
    for (let again = 0; again < 2; again++)
      await expect(few.check({ path: at, bytes }, nothingKept)).rejects.toMatchObject({ code: 'SPOOL_FULL' })
    await writeFile(at, JSON.stringify(body()))
    await using _ = await few.check({ path: at, bytes: (await readFile(at)).length }, nothingKept)
  })
})
