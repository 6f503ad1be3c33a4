/** An independent judge: Debian's nginx serves the same files, and the same requests get the same answers, or one that is named here. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import type { World } from '../harness/world.ts'
import { type Answer, publish, type Visit, visit } from './visitor.ts'

const program = '/usr/sbin/nginx'
const judge = existsSync(program)
if (!judge) console.log('without nginx (apt-get install nginx-light) its answers are not compared with ours')

const files = {
  'index.html': '<!doctype html><title>home</title>',
  'blog/index.html': '<!doctype html><title>blog</title>',
  'a b.txt': 'a file with a space',
  'style.css': Array.from({ length: 500 }, (_, index) => `.c${index} { color: teal }`).join('\n'),
  'picture.bin': new Uint8Array(1_000).map((_, index) => index),
  'large.bin': new Uint8Array(400_000).map((_, index) => index * 31),
}

let world: World
let ours: Visit
let theirs: Visit
let nginx: ChildProcess | undefined
let folder: string
beforeAll(async () => {
  if (!judge) return
  world = await sharedWorld()
  ours = (await publish(await world.key(), { files })).get
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-nginx-'))
  for (const [name, content] of Object.entries(files)) {
    const place = path.join(folder, 'root', name)
    await mkdir(path.dirname(place), { recursive: true })
    await writeFile(place, content)
  }
  const port = await freePort()
  await writeFile(path.join(folder, 'nginx.conf'), configuration(port))
  nginx = spawn(program, ['-c', path.join(folder, 'nginx.conf'), '-p', folder], { stdio: 'ignore' })
  theirs = (asked, options) => visit(`http://127.0.0.1:${port}`, asked, options)
  await until(() =>
    theirs('/').then(
      () => true,
      () => false,
    ),
  )
})
afterAll(async () => {
  if (nginx && nginx.exitCode === null) {
    nginx.kill()
    await once(nginx, 'exit')
  }
  if (folder) await rm(folder, { recursive: true, force: true })
  await world?.[Symbol.asyncDispose]()
})

const configuration = (port: number): string => `
daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/errors;${process.getuid?.() === 0 ? ' user root;' : ''}
events { worker_connections 64; }
http {
  access_log off; absolute_redirect off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port}; root ${folder}/root; }
}
`

const seen = ({ status, headers, body }: Answer) => ({
  status,
  range: headers['content-range'],
  // Of errors each server has a page of its own.
  ...(status < 400 && { length: headers['content-length'], body: body.toString('base64') }),
})

interface Asked {
  path: string
  method?: string
  headers?: (validators: { etag: string; modified: string }) => Record<string, string>
}

/** The same request to both, each with the validators that it gave itself. */
async function both({ path: asked, method = 'GET', headers = () => ({}) }: Asked): Promise<[Answer, Answer]> {
  const ask = async (get: Visit): Promise<Answer> => {
    const first = await get(asked, { method: 'HEAD' })
    const { etag = '', 'last-modified': modified = '' } = first.headers
    return get(asked, { method, headers: headers({ etag, modified }) })
  }
  return [await ask(ours), await ask(theirs)]
}

const ranges = [
  ...[
    '0-0',
    '0-9',
    '5-5',
    '500-',
    '999-',
    '999-999',
    '999-2000',
    '1000-',
    '1000-1001',
    '-1',
    '-5',
    '-1000',
    '-1001',
    '-5000',
  ],
  ...['0-', '-0', '0-99999999999', '2000-3000'],
]

test.runIf(judge)(
  'every single range gets the same status, the same bytes and the same Content-Range as from nginx',
  async () => {
    for (const range of ranges)
      for (const method of ['GET', 'HEAD']) {
        const [mine, other] = await both({
          path: '/picture.bin',
          method,
          headers: () => ({ range: `bytes=${range}` }),
        })
        // nginx answers parts of HEAD requests too, for which RFC 9110 (14.2) defines none.
        if (method === 'HEAD') expect([mine.status, mine.headers['content-length']]).toEqual([200, '1000'])
        else expect(seen(mine), `bytes=${range}`).toEqual(seen(other))
      }
    const [mine, other] = await both({
      path: '/large.bin',
      headers: () => ({ range: 'bytes=100000-399999' }),
    })
    expect(seen(mine)).toEqual(seen(other))
  },
)

test.runIf(judge)(
  'where nginx rejects a malformed range, or sends several, the whole file is sent, as the standard allows',
  async () => {
    for (const [range, status] of [
      ['bytes=9-5', 416],
      ['bytes=a-b', 416],
      ['bytes=', 200],
      ['bytes=0-1,5-6', 206],
    ] as const) {
      const [mine, other] = await both({ path: '/picture.bin', headers: () => ({ range }) })
      expect([mine.status, mine.body.length, other.status], range).toEqual([200, 1_000, status])
    }
    const [mine, other] = await both({ path: '/picture.bin', headers: () => ({ range: 'lines=1-2' }) })
    expect(seen(mine)).toEqual(seen(other))
  },
)

const later = (modified: string): string => new Date(Date.parse(modified) + 60_000).toUTCString()
const earlier = (modified: string): string => new Date(Date.parse(modified) - 60_000).toUTCString()

const conditions: [string, NonNullable<Asked['headers']>][] = [
  ['the same tag', ({ etag }) => ({ 'if-none-match': etag })],
  ['the same tag, weak', ({ etag }) => ({ 'if-none-match': `W/${etag}` })],
  ['a list with the tag', ({ etag }) => ({ 'if-none-match': `"a", ${etag} , "b"` })],
  ['any tag', () => ({ 'if-none-match': '*' })],
  ['another tag', () => ({ 'if-none-match': '"another"' })],
  ['the same date', ({ modified }) => ({ 'if-modified-since': modified })],
  ['an earlier date', ({ modified }) => ({ 'if-modified-since': earlier(modified) })],
  ['a later date', ({ modified }) => ({ 'if-modified-since': later(modified) })],
  ['no date', () => ({ 'if-modified-since': 'yesterday' })],
  [
    'the same date and another tag',
    ({ modified }) => ({ 'if-modified-since': modified, 'if-none-match': '"x"' }),
  ],
  ['If-Match', ({ etag }) => ({ 'if-match': etag })],
  ['If-Match of any', () => ({ 'if-match': '*' })],
  ['If-Match of another', () => ({ 'if-match': '"another"' })],
  ['If-Match, weak', ({ etag }) => ({ 'if-match': `W/${etag}` })],
  ['unmodified since then', ({ modified }) => ({ 'if-unmodified-since': modified })],
  ['unmodified since later', ({ modified }) => ({ 'if-unmodified-since': later(modified) })],
  ['unmodified since earlier', ({ modified }) => ({ 'if-unmodified-since': earlier(modified) })],
  ['If-Range with the tag', ({ etag }) => ({ range: 'bytes=1-2', 'if-range': etag })],
  ['If-Range with another tag', () => ({ range: 'bytes=1-2', 'if-range': '"another"' })],
  ['If-Range with a weak tag', ({ etag }) => ({ range: 'bytes=1-2', 'if-range': `W/${etag}` })],
  ['If-Range with the date', ({ modified }) => ({ range: 'bytes=1-2', 'if-range': modified })],
  [
    'If-Range with an earlier date',
    ({ modified }) => ({ range: 'bytes=1-2', 'if-range': earlier(modified) }),
  ],
  ['If-Range with a later date', ({ modified }) => ({ range: 'bytes=1-2', 'if-range': later(modified) })],
  ['a range of what is known', ({ etag }) => ({ range: 'bytes=1-2', 'if-none-match': etag })],
  [
    'a range beyond the end of what is known',
    ({ etag }) => ({ range: 'bytes=9999-', 'if-none-match': etag }),
  ],
]

test.runIf(judge)('conditional requests get the same answers as from nginx', async () => {
  for (const [name, headers] of conditions)
    for (const method of ['GET', 'HEAD'])
      for (const asked of ['/picture.bin', '/style.css', '/']) {
        if (method === 'HEAD' && name.includes('ange')) continue
        const [mine, other] = await both({ path: asked, method, headers })
        const { length: _, ...answer } = seen(mine)
        const { length: __, ...wanted } = seen(other)
        expect(answer, `${method} ${asked}: ${name}`).toEqual(wanted)
        // A 304 repeats the validators.
        if (mine.status === 304) expect(mine.headers.etag && mine.headers['last-modified']).toBeTruthy()
      }
})

test.runIf(judge)(
  'where a request names a tag and a date, the tag alone decides (RFC 9110, 13.1.3), as nginx does not',
  async () => {
    const headers: Asked['headers'] = ({ etag, modified }) => ({
      'if-none-match': etag,
      'if-modified-since': earlier(modified),
    })
    const [mine, other] = await both({ path: '/picture.bin', headers })
    expect([mine.status, other.status]).toEqual([304, 200])
  },
)

test.runIf(judge)('paths, methods and redirects of folders are answered as by nginx', async () => {
  for (const asked of [
    '/',
    '/?x=1',
    '/style.css',
    '/%73tyle.css',
    '/a%20b.txt',
    '/blog/',
    '/blog/?q',
    '/missing',
    '/blog/missing',
    '/%',
    '/%zz',
    '/style.css/',
  ]) {
    const [mine, other] = await both({ path: asked })
    expect(seen(mine), asked).toEqual(seen(other))
  }
  for (const asked of ['/blog', '/blog?x=%20y&z']) {
    const [mine, other] = await both({ path: asked })
    // 308 keeps the method where 301 does not; the address is the same.
    expect([mine.status, other.status, mine.headers.location]).toEqual([308, 301, other.headers.location])
  }
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const [mine, other] = await both({ path: '/style.css', method })
    expect([mine.status, other.status], method).toEqual([405, 405])
  }
})

test.runIf(judge)('paths that nginx tidies up, or takes for others, are missing', async () => {
  for (const [asked, status] of [
    ['//style.css', 200],
    ['/blog/../style.css', 200],
    ['/./style.css', 200],
    ['/blog%2findex.html', 200],
    ['/../style.css', 400],
    ['/%00', 400],
  ] as const) {
    const [mine, other] = await both({ path: asked })
    expect([mine.status, other.status], asked).toEqual([404, status])
  }
})
