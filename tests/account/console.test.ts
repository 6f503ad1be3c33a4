import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { consolePages, pathsWithoutPages } from '#account/console'
import {
  type Build,
  type BuiltAsset,
  buildIfStale,
  builtFolder,
  ownRoot,
  readBuild,
  stampOf,
} from '#account/console-build'
import { routes } from '../../src/capabilities.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { startMs } from '../harness/until.ts'

let build: Build

beforeAll(async () => {
  const state = await buildIfStale()
  expect(['fresh', 'built']).toContain(state.state)
  build = (await readBuild(ownRoot))!
}, startMs)

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-mode': 'navigate' }

async function get(
  target: string,
  headers: Record<string, string> = browser,
  method = 'GET',
): Promise<Response> {
  await using world = await sharedWorld()
  const response = await fetch(world.url + target, { method, headers })
  return new Response(response.status === 304 ? null : await response.arrayBuffer(), response)
}

const assetOf = (end: string): BuiltAsset => build.assets.find(({ name }) => name.endsWith(end))!

describe('a page', () => {
  test('has a strict policy with a nonce of its own in each answer, and is never stored', async () => {
    const nonces = new Set<string>()
    for (const target of ['/', '/sign-in']) {
      const reply = await get(target)
      expect(reply.status).toBe(200)
      expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(reply.headers.get('cache-control')).toBe('no-store')
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
      expect(reply.headers.get('referrer-policy')).toBe('no-referrer')
      const policy = reply.headers.get('content-security-policy')!
      const nonce = /'nonce-([^']+)'/.exec(policy)![1]!
      nonces.add(nonce)
      expect(policy).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      )
      const html = await reply.text()
      expect(html).toContain(`<meta property="csp-nonce" nonce="${nonce}">`)
      expect(html).not.toContain('KHERAD_NONCE')
      expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
      expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=/)
    }
    expect(nonces.size).toBe(2)
  })

  test('is in the language that the browser prefers, from right to left in Persian', async () => {
    const fa = await get('/', { ...browser, 'accept-language': 'fa-IR,fa;q=0.9,en;q=0.8' })
    expect(await fa.text()).toContain('<html lang="fa" dir="rtl">')
    const en = await get('/', { ...browser, 'accept-language': 'en' })
    expect(await en.text()).toContain('<html lang="en" dir="ltr">')
    expect(en.headers.get('vary')).toContain('accept-language')
  })

  test('preloads the font, and sign-in is an entry of its own', async () => {
    const [shell, signIn] = [await (await get('/')).text(), await (await get('/sign-up')).text()]
    for (const html of [shell, signIn])
      expect(html).toMatch(/<link rel="preload" href="\/assets\/Vazirmatn[^"]+\.woff2" as="font"/)
    expect(/src="([^"]+\.js)"/.exec(shell)![1]).not.toBe(/src="([^"]+\.js)"/.exec(signIn)![1])
  })

  test.each(['/', '/keys', '/a/b/c', '/link', '/sign-in/openid?code=a.b'])(
    'is served at %s',
    async (target) => {
      expect((await get(target)).headers.get('content-type')).toContain('text/html')
      const head = await get(target, browser, 'HEAD')
      expect([head.status, (await head.text()).length]).toEqual([200, 0])
    },
  )

  test.each([
    ['a script', '/keys', { accept: '*/*' }],
    ['a client of the API', '/keys', { accept: 'application/json' }],
    ['who says nothing', '/keys', {}],
    ['a browser, of a file that is not there', '/robots.txt', browser],
    ['a browser, of a route that is not there', '/v1/none', browser],
    ['a browser, below the reference', '/docs/none', browser],
    ['a browser, of the bare version', '/v1', browser],
    ['a browser, of a script that no build has', '/assets/index-00000000.js', browser],
    ['a browser, of a file above the folder', '/assets/..%2fconsole.json', browser],
    ['a browser, of the record of the build', '/assets/console.json', browser],
  ])('is not what %s gets', async (_who, target, headers) => {
    const reply = await get(target, headers as Record<string, string>)
    expect(reply.status).toBe(404)
    expect(((await reply.json()) as { error: { code: string } }).error.code).toBe('ROUTE_NOT_FOUND')
  })

  test.each(['POST', 'PUT', 'DELETE'])('answers no %s', async (method) => {
    expect((await get('/keys', browser, method)).status).toBe(404)
  })

  test('takes no path of a route', () => {
    const firstWords = new Set(
      routes.filter(({ host }) => host === undefined).map(({ path }) => path.split('/')[1]),
    )
    expect([...firstWords].filter((word) => !pathsWithoutPages.includes(word!))).toEqual([])
  })
})

describe('a file of the build', () => {
  test('is compressed as the client takes it, stays for ever, and has a strong ETag for each form', async () => {
    const asset = assetOf('.js')
    const tags = new Set<string>()
    for (const [accepted, encoding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const reply = await get(`/assets/${asset.name}`, { 'accept-encoding': accepted })
      expect(reply.status).toBe(200)
      expect(reply.headers.get('content-encoding')).toBe(encoding)
      expect(reply.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(reply.headers.get('vary')).toBe('accept-encoding')
      expect((await reply.arrayBuffer()).byteLength).toBe(asset.bytes)
      const etag = reply.headers.get('etag')!
      expect(etag).toMatch(/^"[\w-]{43}(?:-br|-gzip)?"$/)
      tags.add(etag)
      const again = await get(`/assets/${asset.name}`, { 'accept-encoding': accepted, 'if-none-match': etag })
      expect(again.status).toBe(304)
    }
    expect(tags.size).toBe(3)
  })

  test('is a font that is not compressed twice', async () => {
    const reply = await get(`/assets/${assetOf('.woff2').name}`, { 'accept-encoding': 'br, gzip' })
    expect(reply.headers.get('content-type')).toBe('font/woff2')
    expect(reply.headers.get('content-encoding')).toBeNull()
  })
})

/** A copy of the built folder alone, as a release brings it. */
async function releaseFolder(): Promise<string> {
  const root = await mkdtemp(path.join(inject('scratch'), 'console-'))
  await mkdir(path.join(root, 'console'))
  await cp(builtFolder(ownRoot), builtFolder(root), { recursive: true })
  return root
}

/** Asks a console of another folder, without a server. */
async function ask(root: string, target: string) {
  const seen = { status: 0, headers: {} as Record<string, string>, body: '' }
  const isAnswered = await consolePages(root)(
    {
      headers: { accept: 'text/html' },
      language: 'fa',
      setHeader: (name, value) => {
        seen.headers[name] = value
      },
      answer: (status, _type, body) => Object.assign(seen, { status, body: String(body) }),
    },
    target,
  )
  return isAnswered ? seen : undefined
}

describe('a build', () => {
  test('keeps the files of the build before it for open tabs, and none that is older', async () => {
    const root = await releaseFolder()
    const old = { ...assetOf('.css'), name: 'old-00000000.css' }
    const { br: _br, gzip: _gzip, ...plain } = old
    await writeFile(path.join(builtFolder(root), 'assets', plain.name), 'old')
    await writeFile(
      path.join(builtFolder(root), 'console.json'),
      JSON.stringify({ ...build, previous: [plain] }),
    )
    expect((await ask(root, `/assets/${plain.name}`))?.body).toBe('old')
    // A release brings its own files only: what is gone is missing, and the rest is served.
    await rm(path.join(builtFolder(root), 'assets', plain.name))
    expect(await ask(root, `/assets/${plain.name}`)).toBeUndefined()
    expect((await ask(root, '/'))?.status).toBe(200)
  })

  test('that is missing is said in both languages, by a page that runs nothing', async () => {
    const root = await mkdtemp(path.join(inject('scratch'), 'console-'))
    const reply = (await ask(root, '/'))!
    expect(reply.status).toBe(503)
    expect(reply.headers['content-security-policy']).toContain("default-src 'none'")
    expect(reply.body).toContain('کنسول ساخته نشده است')
    expect(reply.body).toContain('The console is not built')
  })

  test('is served as the release brings it where the development packages are not installed', async () => {
    const root = await releaseFolder()
    await writeFile(path.join(root, 'package-lock.json'), '{}')
    expect(await buildIfStale(root)).toEqual({
      state: 'old',
      why: 'the development packages are not installed',
    })
    expect((await ask(root, '/keys'))?.status).toBe(200)
  })

  test('is stale as soon as a source, a script of the build or the lock file differs, and not by a test', async () => {
    const root = await mkdtemp(path.join(inject('scratch'), 'console-'))
    const files = [
      'console/shell/a.tsx',
      'console/look/b.css',
      'scripts/console/build.ts',
      'package-lock.json',
    ]
    const stamps = new Set<string>()
    for (const file of files) await mkdir(path.join(root, path.dirname(file)), { recursive: true })
    for (const file of files) {
      await writeFile(path.join(root, file), 'x')
      stamps.add(await stampOf(root))
      await writeFile(path.join(root, file), 'y')
      stamps.add(await stampOf(root))
    }
    expect(stamps.size).toBe(2 * files.length)
    const before = await stampOf(root)
    await writeFile(path.join(root, 'console/shell/a.test.ts'), 'x')
    await mkdir(path.join(root, 'console/dist'), { recursive: true })
    await writeFile(path.join(root, 'console/dist/c.css'), 'x')
    expect(await stampOf(root)).toBe(before)
  })
})

describe('in gzip, and with all that it imports,', () => {
  const kilobytes = (bytes: number): number => bytes / 1024
  const sizeOf = (names: Iterable<string>, end: string): number =>
    kilobytes(
      [...names]
        .filter((name) => name.endsWith(end))
        .map((name) => build.assets.find((one) => one.name === name)!)
        .reduce((sum, { gzip, bytes }) => sum + (gzip ?? bytes), 0),
    )
  const loads = (source: string): Set<string> => new Set(build.chunks[source]!.loads)

  test('sign-in has at most 100 KB of script', () => {
    expect(sizeOf(loads('console/sign-in.html'), '.js')).toBeLessThanOrEqual(100)
  })

  test('the shell has at most 190 KB of script, with its first page 250, and 25 of style', () => {
    const shell = loads('console/index.html')
    expect(sizeOf(shell, '.js')).toBeLessThanOrEqual(190)
    const first = new Set([...shell, ...loads('console/pages/home/home.tsx')])
    expect(sizeOf(first, '.js')).toBeLessThanOrEqual(250)
    expect(sizeOf(first, '.css')).toBeLessThanOrEqual(25)
  })

  test('no page adds more than 60 KB of script and 25 of style', () => {
    const shell = loads('console/index.html')
    const pages = Object.keys(build.chunks).filter((source) => source.startsWith('console/pages/'))
    expect(pages.length).toBeGreaterThan(0)
    for (const page of pages) {
      expect(
        sizeOf(
          [...loads(page)].filter((name) => !shell.has(name)),
          '.js',
        ),
        page,
      ).toBeLessThanOrEqual(60)
      expect(sizeOf(new Set([...loads(page), ...shell]), '.css'), page).toBeLessThanOrEqual(25)
    }
  })

  test('the one font of words has at most 50 KB; those of formulas come with the first formula', () => {
    const fonts = build.assets.map(({ name }) => name).filter((name) => /\.(?:woff2?|ttf)$/.test(name))
    const ofWords = fonts.filter((name) => !name.startsWith('KaTeX_'))
    expect(ofWords).toHaveLength(1)
    expect(sizeOf(ofWords, '.woff2')).toBeLessThanOrEqual(50)
    expect(fonts.filter((name) => !name.endsWith('.woff2'))).toEqual([])
  })
})

test('what the console is built with is a development package, so that an installation without them grows by nothing', async () => {
  const lock = JSON.parse(await readFile(path.join(ownRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>
  }
  const builders = Object.entries(lock.packages).filter(([name]) =>
    /^node_modules\/(?:vite|rolldown|lightningcss|react|react-dom|scheduler|@mantine\/\w+|@tanstack\/[\w-]+)$/.test(
      name,
    ),
  )
  expect(builders.length).toBeGreaterThan(6)
  for (const [name, { dev = false, devOptional = false }] of builders)
    expect(dev || devOptional, name).toBe(true)
})

test('no file of the build names another origin that it could load from', async () => {
  for (const { name } of build.assets.filter(({ name }) => /\.(?:js|css)$/.test(name))) {
    const text = await readFile(path.join(builtFolder(ownRoot), 'assets', name), 'utf8')
    expect(text, name).not.toMatch(/(?:fetch|import)\(["'`]https?:|url\(["']?(?:https?:)?\/\/|@import/)
  }
})
