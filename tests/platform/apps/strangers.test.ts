/** What strangers' code answers leaves as data for programs, and what it is asked comes without credentials of the platform. */
import type { OutgoingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cloudPathForm } from '#cloud/clouds'
import { type AppsRequest, sandboxPolicy } from '#platform/apps'
import { cookieName } from '#platform/http'
import { hostRequest } from '../../harness/host-request.ts'
import { boot, type World } from '../../harness/world.ts'
import { namedHandler, strangersByPath } from './named-handler.ts'

const ref = 'abcdefghijklmnopqrst'
let stated: (request: AppsRequest) => void
const clouds = namedHandler('clouds', [`${ref}.localhost`], (request) => stated(request), strangersByPath)
const sites = namedHandler('sites', ['shop.localhost'])
let world: World
beforeAll(async () => {
  world = await boot({ hostHandlers: () => [sites, clouds] })
})
beforeEach(() => {
  stated = ({ response, message, host }) => void response.end(`${host} ${message.url}`)
})
afterAll(() => world[Symbol.asyncDispose]())

const byHost = (path = '/', headers: OutgoingHttpHeaders = {}) =>
  hostRequest(world.appsUrl, `${ref}.localhost`, { path, headers })
const byPath = (path = '/', headers: OutgoingHttpHeaders = {}) =>
  hostRequest(world.appsUrl, '127.0.0.1', { path: `/_cloud/${ref}${path}`, headers })

/** What comes of an answer with these headers. */
async function answerWith(headers: OutgoingHttpHeaders | string[], { status = 200, ask = byHost } = {}) {
  stated = ({ response }) =>
    void response.writeHead(status, headers).end(status === 204 || status === 304 ? '' : 'body')
  return await ask()
}

describe('the type of a body', () => {
  test.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    ' text/html',
    'text/html;',
    'application/xhtml+xml',
    'text/xml',
    'application/xml',
    'application/atom+xml; type=feed',
    'application/vnd.mozilla.xul+xml',
    'application/xml-dtd',
    'text/xsl',
    'application/xslt+xml',
    'application/mathml+xml',
    'multipart/x-mixed-replace; boundary=b',
    'multipart/related; boundary=b',
    'message/rfc822',
    'application/unknown',
    'unknown/unknown',
    '*/*',
    'text/*',
    'html',
    'text',
    '',
    ';text/html',
    'application/json, text/html',
    'application/json; a=b, text/html',
    'application/json; a="b, text/html"',
    'application/json\ttext/html',
    'text/ html',
  ])('%o leaves as plain text that nobody guesses about', async (type) => {
    const { headers, text } = await answerWith({ 'content-type': type })
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(text).toBe('body')
  })

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'text/plain; charset=windows-1256',
    'image/png',
    'application/pdf',
    'application/octet-stream',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'multipart/form-data; boundary="b b"',
  ])('%o stays, and nobody guesses either', async (type) => {
    const { headers } = await answerWith({ 'content-type': type })
    expect(headers['content-type']).toBe(type)
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test.each([
    ['text/plain', 'text/plain; charset=utf-8'],
    ['text/css', 'text/css; charset=utf-8'],
    ['text/csv; header=present;', 'text/csv; header=present; charset=utf-8'],
    ['Text/Markdown', 'Text/Markdown; charset=utf-8'],
    ['text/plain; Charset=windows-1256', 'text/plain; Charset=windows-1256'],
  ])('%o is a text, which says its charset: %o', async (type, sent) => {
    expect((await answerWith({ 'content-type': type })).headers['content-type']).toBe(sent)
  })

  test.each(['image/svg+xml', 'image/svg+xml; charset=utf-8', 'IMAGE/SVG+XML'])(
    '%o is a picture, which runs and loads nothing where it is opened as a page',
    async (type) => {
      const policies = async (headers: OutgoingHttpHeaders) => {
        const reply = await answerWith({ 'content-type': type, ...headers })
        expect(reply.headers['content-type']).toBe(type)
        return reply.headers['content-security-policy']
      }
      expect(await policies({})).toBe(sandboxPolicy)
      expect(await policies({ 'content-security-policy': sandboxPolicy })).toBe(sandboxPolicy)
      // What strangers state cannot take it away.
      expect(await policies({ 'Content-Security-Policy': 'sandbox allow-scripts' })).toBe(
        `sandbox allow-scripts, ${sandboxPolicy}`,
      )
    },
  )

  test('stated twice, or not at all, is none: whichever way the headers are sent', async () => {
    const ways: ((request: AppsRequest) => void)[] = [
      ({ response }) =>
        response.writeHead(200, ['Content-Type', 'image/png', 'content-type', 'text/html']).end(),
      ({ response }) => response.setHeader('Content-Type', ['image/png', 'text/html']).end(),
      ({ response }) => response.setHeader('content-type', 'text/html').end('<b>'),
      ({ response }) =>
        response.setHeader('content-type', 'image/png').writeHead(200, { 'Content-Type': 'text/html' }).end(),
      ({ response }) => response.writeHead(200, 'fine', { 'content-type': 'text/html' }).end(),
      ({ response }) => response.appendHeader('content-type', 'text/html').end(),
      ({ response }) => {
        response.setHeader('content-type', 'text/html')
        response.flushHeaders()
        response.end('<b>')
      },
      ({ response }) => {
        response.setHeader('content-type', 'text/html')
        response.write('<b>')
        response.end()
      },
      ({ response }) => {
        response.writeEarlyHints({ link: '</x.css>; rel=preload' })
        response.end('<b>')
      },
      ({ response }) => response.end('<b>'),
    ]
    for (const [at, way] of ways.entries()) {
      stated = way
      const { headers, rawHeaders } = await byHost()
      expect(headers['content-type'], `way ${at}`).toBe('text/plain; charset=utf-8')
      expect(rawHeaders.filter((name) => name.toLowerCase() === 'content-type').length, `way ${at}`).toBe(1)
      expect(headers['x-content-type-options'], `way ${at}`).toBe('nosniff')
    }
  })

  test('of an answer without a body is not made up, and one that is stated is held to the same', async () => {
    for (const status of [204, 304]) {
      expect((await answerWith({}, { status })).headers['content-type']).toBeUndefined()
      expect((await answerWith({ 'content-type': 'text/html' }, { status })).headers['content-type']).toBe(
        'text/plain; charset=utf-8',
      )
    }
  })

  test('an event stream passes every proxy at once', async () => {
    const { headers } = await answerWith({ 'content-type': 'text/event-stream', 'X-Accel-Buffering': 'yes' })
    expect(headers['x-accel-buffering']).toBe('no')
  })
})

describe('headers', () => {
  test('that reach beyond the answer are dropped, all others stay', async () => {
    const dropped = {
      'Clear-Site-Data': '"*"',
      'Service-Worker-Allowed': '/',
      'Alt-Svc': 'h2=":443"',
      'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
      'Access-Control-Allow-Credentials': 'true',
      'Public-Key-Pins': 'max-age=1',
      NEL: '{}',
      'X-Accel-Redirect': '/internal/secret',
      'X-Sendfile': '/etc/passwd',
      'Transfer-Encoding': 'gzip, chunked',
      'Proxy-Authenticate': 'Basic',
      'X-Content-Type-Options': 'sniff',
    }
    const kept = {
      'access-control-allow-origin': 'https://app.example',
      'cache-control': 'max-age=60',
      etag: '"1"',
      location: '/elsewhere',
      'x-own': 'a, b',
      'www-authenticate': 'Bearer',
    }
    for (const ask of [byHost, byPath]) {
      const { headers } = await answerWith({ ...dropped, ...kept }, { ask })
      const left = Object.entries(dropped).filter(([name, value]) => headers[name.toLowerCase()] === value)
      expect(left).toEqual([])
      const { 'www-authenticate': challenge, ...always } = kept
      expect(headers).toMatchObject(always)
      // All clouds of the path form share an origin, to which a browser would send the password.
      expect(headers['www-authenticate']).toBe(ask === byHost ? challenge : undefined)
    }
  })

  test('a cookie is its own host’s, whatever Domain it states; by path it is nobody’s', async () => {
    const cookies = [
      'a=1; Domain=localhost; Path=/; HttpOnly',
      'b=2;DOMAIN = .example.org;Secure',
      'c=3; path=/; domain',
      'd=domain=x; Max-Age=1',
      'Domain=4; SameSite=Lax',
    ]
    expect((await answerWith({ 'Set-Cookie': cookies })).headers['set-cookie']).toEqual([
      'a=1; Path=/; HttpOnly',
      'b=2;Secure',
      'c=3; path=/',
      'd=domain=x; Max-Age=1',
      'Domain=4; SameSite=Lax',
    ])
    expect(
      (await answerWith({ 'Set-Cookie': cookies }, { ask: byPath })).headers['set-cookie'],
    ).toBeUndefined()
  })

  test('of sites are not touched by this', async () => {
    const { headers } = await hostRequest(world.appsUrl, 'shop.localhost')
    expect(headers['content-type']).toBe('text/plain')
    expect(headers['x-content-type-options']).toBeUndefined()
  })
})

describe('the path form', () => {
  test('is the cloud of that host, by every name of the machine, and the handler sees the path behind it', async () => {
    for (const [path, seen] of [
      ['', '/'],
      ['/', '/'],
      ['/rest/v1/a?b=c', '/rest/v1/a?b=c'],
      ['?x', '/?x'],
      ['//double', '//double'],
    ])
      expect((await byPath(path)).text, path).toBe(`${ref}.localhost ${seen}`)
    for (const host of ['localhost', '[::1]', '192.168.1.5', 'kherad'])
      expect((await hostRequest(world.appsUrl, host, { path: `/_cloud/${ref}/x` })).text, host).toBe(
        `${ref}.localhost /x`,
      )
    expect(clouds.requests.at(-1)).toMatchObject({ host: `${ref}.localhost`, pathPrefix: `/_cloud/${ref}` })
    await byHost()
    expect(clouds.requests.at(-1)).toMatchObject({ pathPrefix: '' })
  })

  test('leads to no site, to nothing unknown, and not from a host that is a domain', async () => {
    const paths = [
      'shop',
      'shop/',
      'tsrqponmlkjihgfedcba',
      '',
      ref.toUpperCase(),
      `${ref}.localhost`,
      `%61${ref.slice(1)}`,
    ]
    for (const name of paths)
      expect((await hostRequest(world.appsUrl, '127.0.0.1', { path: `/_cloud/${name}` })).status, name).toBe(
        404,
      )
    for (const host of ['example.org', 'other.localhost'])
      expect((await hostRequest(world.appsUrl, host, { path: `/_cloud/${ref}` })).status, host).toBe(404)
    expect(sites.requests.filter(({ pathPrefix }) => pathPrefix !== '')).toEqual([])
  })

  test('does not exist where clouds have a domain', async () => {
    const hosts = [`${ref}.clouds.example`, `${ref}.localhost`]
    await using other = await boot({
      env: { KHERAD_CLOUD_DOMAIN: 'clouds.example' },
      hostHandlers: ({ config }) => [
        namedHandler('clouds', hosts, undefined, { isStrangers: true, pathForm: cloudPathForm(config) }),
      ],
    })
    expect((await hostRequest(other.appsUrl, '127.0.0.1', { path: `/_cloud/${ref}/` })).status).toBe(404)
    expect((await hostRequest(other.appsUrl, `${ref}.clouds.example`)).status).toBe(200)
  })
})

describe('credentials', () => {
  const seenOf = async (ask: typeof byHost, headers: OutgoingHttpHeaders) => {
    await ask('/', headers)
    const { message } = clouds.requests.at(-1)!
    return { headers: message.headers, raw: message.rawHeaders.join('\n') }
  }

  test('cookies reach code by its own host, and never by path: there they may be those of the platform', async () => {
    const headers = { cookie: 'session=of-the-platform', 'x-other': 'kept' }
    expect((await seenOf(byHost, headers)).headers.cookie).toBe('session=of-the-platform')
    const { headers: seen, raw } = await seenOf(byPath, headers)
    expect(seen.cookie).toBeUndefined()
    expect(raw).not.toContain('of-the-platform')
    expect(seen['x-other']).toBe('kept')
  })

  test('the cookies of people reach no code at any host, even where a browser sends them', async () => {
    const names = ['session', 'browser', 'challenge'] as const
    for (const origin of [world.url, 'https://ai.example.org']) {
      const own = names.map((kind) => `${cookieName(origin, '0123abcd', kind)}=of-a-person`)
      const headers = { cookie: [...own, 'theirs=1', 'kherad-theme=dark'].join('; ') }
      const { headers: seen, raw } = await seenOf(byHost, headers)
      expect(seen.cookie).toBe('theirs=1; kherad-theme=dark')
      expect(raw).not.toContain('of-a-person')
      expect((await seenOf(byHost, { cookie: own.join('; ') })).raw).not.toMatch(/^cookie$/im)
    }
  })

  test('no code sets a cookie of a person, whatever its case', async () => {
    const planted = [world.url, 'https://ai.example.org'].flatMap((origin) =>
      ['session', 'browser', 'challenge'].map(
        (kind) => `${cookieName(origin, '0123abcd', kind as 'session')}=planted; Path=/`,
      ),
    )
    for (const cookies of [planted, planted.map((one) => ` ${one.toUpperCase()}`)]) {
      const { headers } = await answerWith({ 'Set-Cookie': [...cookies, 'theirs=1'] })
      expect(headers['set-cookie']).toEqual(['theirs=1'])
    }
  })

  test('a key of the platform that was sent by mistake reaches no code, others do', async () => {
    const { secret } = await world.key()
    for (const ask of [byHost, byPath]) {
      const headers = { authorization: `Bearer ${secret}`, apikey: secret, 'x-api-key': secret }
      expect((await seenOf(ask, headers)).raw).not.toContain(secret)
      const own = { authorization: 'Bearer eyJhbGci.khr_.of-a-person', apikey: 'public', cookie: 'own=1' }
      expect((await seenOf(ask, own)).headers).toMatchObject({
        authorization: 'Bearer eyJhbGci.khr_.of-a-person',
        apikey: 'public',
      })
    }
  })
})
