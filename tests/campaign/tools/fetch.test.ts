import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ToolContext } from '#core/tools'
import { type FetchRefusalReason, FetchRefused, type GuardedClient, openGuardedClient } from '#platform/net'
import { toolsOf } from '../../core/tools/asking.ts'
import { pdfOf } from '../../core/tools/pdf.ts'
import { selfSigned } from '../../harness/certificate.ts'
import { openSite } from '../../platform/net/sites.ts'

const tls = selfSigned('pages.example.test', 'other.example.test', 'blocked.example.test')
const client = openGuardedClient({
  allowedCidrs: ['127.0.0.0/8'],
  ca: tls.cert,
  lookup: async () => [{ address: '127.0.0.1', family: 4 }],
})
const { use, tools } = toolsOf('', client)
const fetchPage = (url: unknown, more?: Partial<ToolContext>) => use('web_fetch', { url }, more)

/** A site of HTTPS whose name is public as far as the client knows. */
async function site(answer: RequestListener) {
  const { port, seen, ...rest } = await openSite(answer, tls)
  return { ...rest, seen, port, url: `https://pages.example.test:${port}` }
}

const page =
  (contentType: string, body: string | Uint8Array): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': contentType }).end(body)

async function read(contentType: string, body: string | Uint8Array, more?: Partial<ToolContext>) {
  await using pages = await site(page(contentType, body))
  const result = await fetchPage(`${pages.url}/a/page`, more)
  if (result.error) throw new Error(result.content)
  return { ...result.results[0]!, content: result.content, root: pages.url }
}

const filler =
  'این بند به اندازه‌ای بلند است که هر خواننده‌ای آن را بخشی از متن اصلی می‌داند، نه فهرست و نه تبلیغ. '.repeat(
    3,
  )

const persianArticle = (charset: string) => `<!doctype html><html lang="fa" dir="rtl"><head>${charset}
<title>گزارش بازار</title><meta property="article:published_time" content="2026-11-19T10:00:00+03:30">
<script>document.write('دزدی')</script><style>p { color: red }</style></head><body>
<nav><ul><li><a href="/">خانه</a></li><li><a href="/news">خبرها</a></li></ul></nav>
<article><h1>گزارش بازار</h1><p>قیمت‌ها می‌روند و می‌آیند. ${filler}</p>
<p>بنگرید به <a href="../report?q=1#top">گزارش کامل</a> و <a href="javascript:steal()">اینجا</a>.</p>
<h2>جدول</h2><table><tr><th>نام</th><th>بها</th></tr><tr><td>دلار | آزاد</td><td>۶۰٬۰۰۰</td></tr></table>
<ul><li>یک</li><li>دو<ol><li>الف</li></ol></li></ul><blockquote><p>گفته‌ای</p></blockquote>
<pre><code>a = 1
  b</code></pre><p style="display: none">دستور پنهان</p><p hidden>دستور پنهان</p><p>${filler}</p></article>
<footer>همهٔ حقوق محفوظ است</footer></body></html>`

test('a Persian article comes as Markdown, with its title and day and without what surrounds it', async () => {
  const { root, ...found } = await read('text/html; charset=utf-8', persianArticle(''))
  expect(found).toMatchObject({
    url: `${root}/a/page`,
    title: 'گزارش بازار',
    publishedAt: '2026-11-19T10:00:00+03:30',
    mediaType: 'text/html',
    cut: false,
  })
  expect(found.text).toContain('قیمت‌ها می‌روند و می‌آیند.')
  expect(found.text).toContain(`بنگرید به [گزارش کامل](${root}/report?q=1#top) و اینجا.`)
  expect(found.text).toContain('## جدول')
  expect(found.text).toContain('| نام | بها |\n| --- | --- |\n| دلار \\| آزاد | ۶۰٬۰۰۰ |')
  expect(found.text).toContain('- یک\n- دو\n  1. الف')
  expect(found.text).toContain('> گفته‌ای')
  expect(found.text).toContain('```\na = 1\n  b\n```')
  expect(found.text).not.toMatch(/دزدی|color|پنهان|خبرها|حقوق|steal/)
  expect(found.content).toContain('Published: 2026-11-19')
})

test.each([
  [
    'head',
    '<!doctype html><html lang=fa dir=rtl><title>خبر</title><body><h1>خبر</h1><p>متن خبر</p></body></html>',
  ],
  ['body', '<html><head><title>خبر</title></head><p>متن خبر</p></html>'],
  ['head, body or root', '<!doctype html><meta charset=utf-8><title>خبر</title><p>متن خبر'],
])('a page that leaves out its %s, as HTML allows, is read', async (_, html) => {
  const { title, text } = await read('text/html; charset=utf-8', html)
  expect(title).toBe('خبر')
  expect(text).toMatch(/^(#{1,2} خبر\n\n)?متن خبر$/)
})

describe('what people cannot see is not read:', () => {
  const hide = (style: string) => `<b style="${style}">پنهان</b>`
  test.each([
    ['in code', `<pre>a = 1${hide('display:none')}</pre><p>x<code>b${hide('display:none')}</code></p>`],
    ['in a heading', '<h2>سرخط<div style="display:none">پنهان</div></h2>'],
    ['in a link', '<p>x <a href="/y">y<p style="visibility:hidden">پنهان</p></a></p>'],
    [
      'in a table',
      '<table><tr><th>a<th>b</tr><tr style="display:none"><td>پنهان<td>پنهان</tr><tr><td>1<td style="opacity:0">پنهان<td>2</tr></table>',
    ],
    ['deep down', `${'<div>'.repeat(170)}x${hide('display:none')}${'</div>'.repeat(170)}`],
    [
      'in other words',
      [
        'DISPLAY : none !important',
        'display:/**/none',
        'visibility:collapse',
        'opacity: 0.0',
        'opacity:0 ; color:red',
        'font-size:0rem',
        'color:red;font-size: 0pt',
      ]
        .map(hide)
        .join(' '),
    ],
  ])('%s', async (_, html) => {
    // As an article, and as a page that has too many elements for one.
    for (const more of ['', '<i></i>'.repeat(20_001)]) {
      const { text } = await read('text/html; charset=utf-8', `<body><p>${filler}</p>${html}${more}</body>`)
      expect(text).toContain('این بند')
      expect(text).not.toContain('پنهان')
    }
  })

  test('what only looks so is', async () => {
    const shown = ['opacity:0.5', 'font-size:0.9em', 'display:block', 'visibility:visible', 'x:none']
    const html = `<body><p>${filler}</p>${shown.map((style) => `<p style="${style}">${style}</p>`).join('')}</body>`
    const { text } = await read('text/html; charset=utf-8', html)
    for (const style of shown) expect(text).toContain(style)
  })

  test('a page that lets its text appear by a script is read', async () => {
    const section = `<div style="opacity:0;transform:translateY(20px)"><p>${filler}</p></div>`
    const { text } = await read('text/html; charset=utf-8', `<body><h1>خبر</h1>${section.repeat(3)}</body>`)
    expect(text.match(/این بند/g)!.length).toBeGreaterThanOrEqual(9)
  })
})

test('an English page that is no article is read without its menus', async () => {
  const links = Array.from(
    { length: 30 },
    (_, index) => `<li><a href="/p${index}">Package ${index}</a></li>`,
  ).join('')
  const { text, title, root } = await read(
    'text/html',
    `<html><head><title>Index &amp; list</title></head><body><nav><a href=/>Home</a></nav><main><h1>Packages</h1><ul>${links}</ul></main></body></html>`,
  )
  expect(title).toBe('Index & list')
  expect(text).toContain(`- [Package 0](${root}/p0)\n- [Package 1](${root}/p1)`)
  expect(text).not.toContain('Home')
})

describe('charsets', () => {
  /** Windows-1256 of the letters that these pages use. */
  function windows1256(text: string): Buffer {
    const decoder = new TextDecoder('windows-1256')
    const byLetter = new Map(
      Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
    )
    return Buffer.from([...text.replaceAll('ی', 'ي')].map((letter) => byLetter.get(letter) ?? 0x3f))
  }
  const text = 'سلام، اين صفحه قديمي است و گچپژ دارد'
  const html = (meta: string) => `<html><head>${meta}</head><body><p>${text}</p></body></html>`

  test.each([
    ['the header', 'text/html; charset=windows-1256', html('')],
    ['a meta element', 'text/html', html('<meta charset="windows-1256">')],
    [
      'an old meta element',
      'text/html',
      html('<meta http-equiv=Content-Type content="text/html; charset=windows-1256">'),
    ],
    ['nobody', 'text/html', html('')],
    ['a header that names nonsense', 'text/html; charset=nonsense', html('<meta charset="windows-1256">')],
  ])('Windows-1256 declared by %s', async (who, contentType, source) => {
    const found = await read(contentType, windows1256(source))
    if (who === 'a header that names nonsense') expect(found.text).toContain('\ufffd')
    else expect(found.text).toBe(text)
  })

  test('UTF-8 and UTF-16 by their marks, against what is declared', async () => {
    const marked = '\ufeffسلام'
    expect((await read('text/plain; charset=windows-1256', marked)).text).toBe('سلام')
    expect((await read('text/plain', Buffer.from(marked, 'utf16le'))).text).toBe('سلام')
    expect((await read('text/html', html(''))).text).toBe(text)
  })
})

test.each([
  ['text/plain', 'متن ساده'],
  ['text/markdown; charset=utf-8', '# سرخط\n\nمتن'],
  ['application/json', '{"نام":"مقدار"}'],
  ['application/xml', '<a>متن</a>'],
  ['application/rss+xml', '<rss><title>خبر</title></rss>'],
])('%s comes as it is', async (contentType, body) => {
  const found = await read(contentType, body)
  expect(found).toMatchObject({ text: body, title: 'pages.example.test', cut: false })
})

describe('PDF', () => {
  const report = readFileSync(path.join(import.meta.dirname, '../../core/tools/fixtures/report-fa.pdf'))

  test('Persian is read from the right, in letters and not in the shapes of print', async () => {
    const { title, text } = await read('application/pdf', report)
    expect(title).toBe('گزارش آزمایشی')
    expect(text).toBe(
      [
        'گزارش فصل نخست ۱۴۰۳',
        'خرد یک سکوی هوش مصنوعی است که روی سرور خودتان اجرا میشود. نسخهٔ 1.6 در تاریخ 20-05-2024 منتشر شد و با',
        'OpenAI سازگار است.',
        '',
        'پاراگراف دوم: قیمت ۱۲٬۵۰۰ تومان است.',
        '',
        'نام مقدار',
        'الف ۱۰',
      ].join('\n'),
    )
  })

  test('English comes in lines, page after page', async () => {
    const { text, cut } = await read('application/pdf', pdfOf(['Hello world', 'of PDF'], ['Page two']))
    expect(text).toBe('Hello world\nof PDF\n\nPage two')
    expect(cut).toBe(false)
  })

  test('two hundred pages are read, and it says that there were more', async () => {
    const pages = (count: number) =>
      pdfOf(...Array.from({ length: count }, (_, index) => [`Page ${index + 1}`]))
    expect(await read('application/pdf', pages(200))).toMatchObject({
      text: expect.stringMatching(/Page 200$/),
      cut: false,
    })
    expect(await read('application/pdf', pages(201))).toMatchObject({
      text: expect.stringMatching(/Page 200$/),
      cut: true,
    })
  })

  test.each([
    ['without text', pdfOf([])],
    ['that is none', Buffer.from('hello')],
    ['that is broken', report.subarray(0, 300)],
  ])('one %s is an unsupported type', async (_, body) => {
    await using pages = await site(page('application/pdf', body))
    expect((await fetchPage(pages.url)).error).toBe('unsupported_content_type')
  })
})

describe('max_content_tokens', () => {
  const paragraphs = Array.from(
    { length: 2_000 },
    (_, index) => `بند ${index} از متنی دراز که بریده می‌شود.`,
  ).join('\n\n')

  test('bounds the text at three bytes a token, cut at a paragraph, and the result says so', async () => {
    const found = await read('text/plain', paragraphs, { maxContentTokens: 500 })
    expect(found.cut).toBe(true)
    expect(Buffer.byteLength(found.text)).toBeLessThanOrEqual(1_500)
    expect(Buffer.byteLength(found.text)).toBeGreaterThan(1_300)
    expect(found.text).toMatch(/بریده می‌شود\.$/)
    expect(found.content).toContain('the text was cut here')
  })

  test('is 32,000 at most, also where more is asked for or nothing', async () => {
    const long = 'سلام\n\n'.repeat(20_000)
    for (const maxContentTokens of [undefined, 32_000, 1_000_000])
      expect(
        Buffer.byteLength(
          (await read('text/plain', long, maxContentTokens ? { maxContentTokens } : {})).text,
        ),
      ).toBe(95_998)
    const html = await read('text/html', `<html><body>${'<p>سلام</p>'.repeat(15_000)}</body></html>`, {
      maxContentTokens: 100,
    })
    expect(html.cut).toBe(true)
    expect(Buffer.byteLength(html.text)).toBeLessThanOrEqual(300)
  })

  test('leaves a text alone that just fits', async () => {
    expect(await read('text/plain', 'x'.repeat(300), { maxContentTokens: 100 })).toMatchObject({ cut: false })
    expect(await read('text/plain', 'x'.repeat(301), { maxContentTokens: 100 })).toMatchObject({
      cut: true,
      text: 'x'.repeat(300),
    })
  })
})

describe('what is refused, by its code:', () => {
  test.each([
    undefined,
    7,
    '',
    'example.com',
    'ftp://example.com/x',
    'javascript:alert(1)',
    'https://',
    'https://u:p@example.com',
  ])('%j is no address', async (url) => {
    expect((await fetchPage(url)).error).toBe('invalid_tool_input')
  })

  test('an address of more than 2,048 characters', async () => {
    await using pages = await site(page('text/plain', 'ok'))
    const long = (characters: number) => `${pages.url}/`.padEnd(characters, 'x')
    expect((await fetchPage(long(2_048))).error).toBeUndefined()
    expect((await fetchPage(long(2_049))).error).toBe('url_too_long')
  })

  test.each([
    'http://example.com/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://169.254.169.254/latest',
  ])('%s is not allowed', async (url) => {
    const guarded = toolsOf('', openGuardedClient({ allowedCidrs: [] }))
    expect((await guarded.use('web_fetch', { url })).error).toBe('url_not_allowed')
  })

  test('domains of the call hold for the address and for every redirect, before it is asked', async () => {
    await using pages = await site((request, response) => {
      if (request.url === '/away')
        response.writeHead(302, { location: `https://blocked.example.test:${pages.port}/secret` }).end()
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
    })
    const code = async (url: string, more: Partial<ToolContext>) => (await fetchPage(url, more)).error
    expect(await code(pages.url, { allowedDomains: ['example.test'] })).toBeUndefined()
    expect(await code(`${pages.url}/x`, { allowedDomains: ['pages.example.test/y'] })).toBe('url_not_allowed')
    expect(await code(pages.url, { allowedDomains: ['other.example.test'] })).toBe('url_not_allowed')
    expect(await code(pages.url, { blockedDomains: ['example.test'] })).toBe('url_not_allowed')
    expect(await code(`${pages.url}/away`, { blockedDomains: ['blocked.example.test'] })).toBe(
      'url_not_allowed',
    )
    expect(pages.seen.map(({ url }) => url)).toEqual(['/', '/away'])
    expect(await code(`${pages.url}/away`, {})).toBeUndefined()
  })

  test('a redirect to http, and more than five of them', async () => {
    await using pages = await site((request, response) => {
      const step = Number(request.url!.slice(1))
      if (request.url === '/plain')
        response.writeHead(301, { location: `http://pages.example.test:${pages.port}/` }).end()
      else if (step > 0) response.writeHead(302, { location: `/${step - 1}` }).end()
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('arrived')
    })
    const five = await fetchPage(`${pages.url}/5`)
    expect(five.results[0]).toMatchObject({ text: 'arrived', url: `${pages.url}/0` })
    expect((await fetchPage(`${pages.url}/6`)).error).toBe('url_not_accessible')
    expect((await fetchPage(`${pages.url}/plain`)).error).toBe('url_not_allowed')
  })

  test.each([
    [404, 'url_not_accessible'],
    [403, 'url_not_accessible'],
    [500, 'url_not_accessible'],
    [429, 'too_many_requests'],
  ])('a site that answers %i', async (status, code) => {
    await using pages = await site((_, response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('no'),
    )
    expect((await fetchPage(pages.url)).error).toBe(code)
  })

  test.each(['image/png', 'application/octet-stream', 'video/mp4', ''])(
    'content of the type %j',
    async (type) => {
      await using pages = await site((_, response) => {
        if (type !== '') response.setHeader('content-type', type)
        response.end('x')
      })
      expect((await fetchPage(pages.url)).error).toBe('unsupported_content_type')
    },
  )

  test('more than 10 MB, to the byte', async () => {
    const limit = 10 * 1024 * 1024
    const sized = async (bytes: number) => {
      await using pages = await site(page('text/plain', Buffer.alloc(bytes, 'x')))
      return (await fetchPage(pages.url)).error
    }
    expect(await sized(limit)).toBeUndefined()
    expect(await sized(limit + 1)).toBe('content_too_large')
  })

  test.each([
    ['dns', 'url_not_accessible'],
    ['connect', 'url_not_accessible'],
    ['tls', 'url_not_accessible'],
    ['timeout', 'url_not_accessible'],
    ['bad_answer', 'url_not_accessible'],
    ['too_large', 'content_too_large'],
    ['media_type', 'unsupported_content_type'],
    ['address_not_public', 'url_not_allowed'],
  ] satisfies [FetchRefusalReason, string][])('%s of the guarded client', async (reason, code) => {
    const refusing: GuardedClient = { fetch: () => Promise.reject(new FetchRefused(reason, 'a.example')) }
    expect((await toolsOf('', refusing).use('web_fetch', { url: 'https://a.example/' })).error).toBe(code)
  })

  test('nothing is asked for longer than 20 s in all', async () => {
    const asked: number[] = []
    const watched: GuardedClient = {
      fetch: (url, ask) => {
        asked.push(ask.timeoutMs)
        return client.fetch(url, ask)
      },
    }
    await using pages = await site((request, response) =>
      request.url === '/a' ? response.writeHead(302, { location: '/b' }).end() : response.end(),
    )
    await toolsOf('', watched).use('web_fetch', { url: `${pages.url}/a` })
    expect(asked).toHaveLength(2)
    expect(asked[0]).toBeLessThanOrEqual(20_000)
    expect(asked[1]).toBeLessThan(asked[0]!)
  })
})

test('a defect is thrown, not told to the model', async () => {
  const broken: GuardedClient = { fetch: () => Promise.reject(new TypeError('a defect')) }
  await expect(toolsOf('', broken).use('web_fetch', { url: 'https://a.example/' })).rejects.toThrow(
    'a defect',
  )
})

test('a caller that leaves ends the fetch', async () => {
  const caller = new AbortController()
  await using pages = await site(() => caller.abort(new Error('gone')))
  await expect(fetchPage(pages.url, { signal: caller.signal })).rejects.toThrow('gone')
})

describe('pages made to hurt:', () => {
  test.each([
    [
      '100,000 levels',
      `<html><body>${'<div>'.repeat(100_000)}ژرف${'</div>'.repeat(100_000)}</body></html>`,
      'ژرف',
    ],
    ['50,000 lists in lists', `<html><body>${'<ul><li>'.repeat(50_000)}ژرف`, 'ژرف'],
    ['3,000 tables in tables', `<html><body>${'<table><tr><td>'.repeat(3_000)}ژرف`, 'ژرف'],
    [
      'an element with 300,000 attributes',
      `<html><body><p ${attributes(300_000)}>متن</p></body></html>`,
      'متن',
    ],
    ['9 MB of <', '<'.repeat(9_000_000), ''],
    ['a paragraph of 9.9 MB', `<html><body><p>${'سلام '.repeat(1_100_000)}</p></body></html>`, 'سلام'],
    [
      '8 MB of paragraphs',
      `<html><body>${'<p>بند <a href="/x">پیوند</a></p>'.repeat(200_000)}</body></html>`,
      'بند',
    ],
    ['2,000,000 comments that never end', `<p>متن</p>${'<!--'.repeat(2_000_000)}`, 'متن'],
    ['1,000,000 scripts', `<p>متن</p>${'<script>'.repeat(1_000_000)}`, 'متن'],
  ])('%s', async (_, body, expected) => {
    expect((await read('text/html; charset=utf-8', body)).text).toContain(expected)
  })

  test('what takes too much memory is too large, and the next page is read', async () => {
    await using pages = await site((request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(request.url === '/next' ? '<p>next</p>' : `<html><body>${'&amp;'.repeat(1_900_000)}`)
    })
    expect((await fetchPage(pages.url)).error).toBe('content_too_large')
    expect((await fetchPage(`${pages.url}/next`)).results[0]?.text).toBe('next')
  })
})

function attributes(count: number): string {
  return Array.from({ length: count }, (_, index) => `a${index}="x"`).join(' ')
}

test('it can be switched off, and costs what the file says', () => {
  expect(tools.requireTool('web_fetch').price).toBe(0n)
  expect(toolsOf('tools: { web_fetch: { enabled: false } }').tools.find('web_fetch')).toBeUndefined()
  expect(
    toolsOf('tools: { web_fetch: { price_per_fetch_usd: 0.001 } }').tools.requireTool('web_fetch').price,
  ).toBe(1_000_000n)
})
