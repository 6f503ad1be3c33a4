import { expect, test } from 'vitest'
import { defaultLinkBounds, type LinkBounds, withLinkedMedia } from '#core/media'
import type { Message, MessageContent } from '#core/turn'
import { png } from '../../clients/media-samples.ts'
import { selfSigned } from '../../harness/certificate.ts'
import { guarded, openSite, openWire, type Site } from './sites.ts'

const picture = Buffer.from(png, 'base64')
const pdf = Buffer.from('%PDF-1.7\n%%EOF')
const tls = selfSigned('files.example.test')
const client = guarded({ ca: tls.cert, lookup: async () => [{ address: '127.0.0.1', family: 4 }] })

/** Serves a picture, a PDF, a page that calls itself a picture, and what each test asks for besides. */
const openFiles = () =>
  openSite(({ url = '' }, response) => {
    if (url.startsWith('/moved')) response.writeHead(302, { location: '/a.png' }).end()
    else if (url.startsWith('/inside')) response.writeHead(302, { location: 'https://10.0.0.1/' }).end()
    else if (url.includes('.png')) response.writeHead(200, { 'content-type': 'text/plain' }).end(picture)
    else if (url.includes('.pdf')) response.end(pdf)
    else if (url.startsWith('/page')) response.writeHead(200, { 'content-type': 'image/png' }).end('<html>')
    else response.writeHead(404).end(picture)
  }, tls)

const at = (site: Site, file: string) => `https://files.example.test:${site.port}${file}`
const image = (url: string): MessageContent => ({ type: 'image', media: { url } })
const document = (url: string): MessageContent => ({ type: 'document', citations: false, media: { url } })
const user = (...content: MessageContent[]): Message => ({ role: 'user', content })
const fill = (messages: Message[], bounds: Partial<LinkBounds> = {}, signal = new AbortController().signal) =>
  withLinkedMedia(client, messages, { bounds: { ...defaultLinkBounds, ...bounds }, signal }).then(
    ({ messages: full }) => full,
  )

test('links become bytes with their real type and size, wherever they stand; the rest stays', async () => {
  await using site = await openFiles()
  const inline: MessageContent = {
    type: 'image',
    media: { data: picture, mediaType: 'image/png', width: 1, height: 1 },
  }
  const given = [
    {
      ...user({ type: 'text', text: 'look' }, {
        ...image(at(site, '/a.png')),
        detail: 'low',
      } as MessageContent),
      name: 'x',
    },
    user(inline, document(at(site, '/b.pdf'))),
    user({ type: 'document', title: 't', citations: true, parts: [image(at(site, '/moved'))] }),
  ]
  const before = JSON.stringify(given)
  const found = { data: picture, mediaType: 'image/png', width: 1, height: 1 }
  expect(await fill(given)).toEqual([
    {
      role: 'user',
      name: 'x',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image', detail: 'low', media: found },
      ],
    },
    user(inline, {
      type: 'document',
      citations: false,
      media: { data: pdf, mediaType: 'application/pdf' },
    }),
    user({
      type: 'document',
      title: 't',
      citations: true,
      parts: [{ type: 'image', media: found }],
    }),
  ])
  expect(JSON.stringify(given)).toBe(before)
})

test('a link that stands in several places is fetched once', async () => {
  await using site = await openFiles()
  const again = image(at(site, '/a.png'))
  await fill([user(again, again), user({ type: 'document', citations: false, parts: [again] }), user(again)])
  expect(site.seen).toHaveLength(1)
})

test.each<[string, string, (url: string) => MessageContent, RegExp]>([
  ['a page that is called a picture', '/page', image, /not of type image\/png/],
  ['a PDF where a picture should be', '/b.pdf', image, /not of type image\/png/],
  ['a picture where a document should be', '/a.png', document, /not of type application\/pdf/],
  ['what is not there', '/absent', image, /status 404/],
  ['a redirect into a private network', '/inside', image, /not on the public internet/],
])('%s is refused in a sentence that names the link without its query', async (_, file, content, why) => {
  await using site = await openFiles()
  const link = at(site, file)
  const failure = await fill([user(content(`${link}?signature=secret`))]).catch((cause: unknown) => cause)
  expect(failure).toMatchObject({
    code: 'LINK_NOT_USABLE',
    status: 400,
    detail: { link, why: { en: expect.stringMatching(why), fa: expect.stringMatching(/[\u0600-\u06ff]/) } },
  })
})

test('links have to be https://', async () => {
  await expect(fill([user(image('http://127.0.0.1/a.png'))])).rejects.toMatchObject({
    detail: { why: { en: expect.stringContaining('https://') } },
  })
})

test('more links than are allowed are refused before any is fetched; the same one counts once', async () => {
  await using site = await openFiles()
  const links = ['/1.png', '/2.png', '/2.png', '/3.png'].map((file) => image(at(site, file)))
  await expect(fill([user(...links)], { maxLinks: 2 })).rejects.toMatchObject({
    detail: { link: at(site, '/3.png'), why: { en: expect.stringContaining('2 different links') } },
  })
  expect(site.seen).toHaveLength(0)
  await fill([user(...links)], { maxLinks: 3 })
  expect(site.seen).toHaveLength(3)
})

test('bytes are bounded for each link and for all together', async () => {
  await using site = await openFiles()
  const links = ['/1.png', '/2.png', '/3.png'].map((file) => image(at(site, file)))
  const size = picture.length
  await fill([user(...links)], { maxBytesEach: size, maxBytes: 3 * size })
  for (const bounds of [{ maxBytesEach: size - 1 }, { maxBytes: 3 * size - 1 }])
    await expect(fill([user(...links)], bounds)).rejects.toMatchObject({
      detail: { why: { en: expect.stringContaining('too large') } },
    })
})

test('links are fetched side by side, and the first that fails ends the others', async () => {
  await using slow = await openWire(() => {})
  await using site = await openSite((_, response) => {
    // Refuses only once the slow one has been asked too: both are under way.
    void expect
      .poll(() => slow.received())
      .toBeGreaterThan(0)
      .then(() => response.writeHead(500).end())
  }, tls)
  const links = [image(`https://files.example.test:${slow.port}/`), image(at(site, '/broken'))]
  await expect(fill([user(...links)])).rejects.toMatchObject({
    detail: { why: { en: expect.stringContaining('status 500') } },
  })
  await expect.poll(() => slow.connections.size).toBe(0)
})

test('a link that does not answer in time is refused; a caller who disconnects ends the fetch', async () => {
  await using slow = await openWire(() => {})
  const messages = [user(image(`https://files.example.test:${slow.port}/`))]
  await expect(fill(messages, { timeoutMs: 100 })).rejects.toMatchObject({
    detail: { why: { en: expect.stringContaining('in time') } },
  })
  const left = new AbortController()
  const running = fill(messages, {}, left.signal)
  await expect.poll(() => slow.connections.size).toBeGreaterThan(0)
  left.abort()
  await expect(running).rejects.toMatchObject({ name: 'FetchRefused', reason: 'aborted' })
})
