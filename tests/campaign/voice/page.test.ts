/** The page /voice in real Chromium, whose microphone plays speech, against the models of the sandbox. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newMember } from '../../harness/session.ts'
import { hasEspeak } from '../../harness/spoken.ts'
import { until } from '../../harness/until.ts'
import { boot, type World } from '../../harness/world.ts'
import { browserPath } from '../../media/browser.ts'
import { connect } from '../../voice/socket-call.ts'
import { openSpeakingBrowser, untrustedHost, VoicePage } from './voice-page.ts'

let world: World
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  const config = 'webrtc: { listen: [127.0.0.1], ports: [0, 0] }\nvoice: { capacity: 1 }'
  world = stack.use(await boot({ credits: 100_000, config }))
})
afterAll(() => stack.disposeAsync())

const calls = '/v1/realtime/calls'
const address = `**${calls}`
/** The same with or without a query. */
const anyAddress = new RegExp(`${calls}(?:\\?.*)?$`)

/** WebRTC is refused, so that a page takes its WebSocket. */
const withoutWebRtc = (page: Page): Promise<unknown> =>
  page.route(anyAddress, (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 503, json: { error: { code: 'WEBRTC_UNAVAILABLE', message: '' } } })
      : route.continue(),
  )

/** A busy machine connects slowly: the page gives WebRTC a minute in place of five seconds. */
const withTimeToConnect = (page: Page): Promise<unknown> =>
  page.route('**/voice/peer-line.js', async (route) => {
    const reply = await route.fetch()
    const text = await reply.text()
    const body = text.replace('maxConnectMs = 5_000', 'maxConnectMs = 60_000')
    expect(body).not.toBe(text)
    await route.fulfill({ response: reply, body })
  })

/** The page asks once for the end of a call, whose only place it needs then: the answer comes when a busy machine has settled it, too. */
const withTimeToEnd = (page: Page): Promise<unknown> =>
  page.route(`${address}/*`, async (route) => {
    if (route.request().method() !== 'DELETE') return route.continue()
    const response = await until(async () => {
      const answer = await route.fetch()
      return (await answer.json()).status === 'ended' ? answer : undefined
    })
    await route.fulfill({ response })
  })

test('the page and its files come from here alone, may run nothing inline, and nobody may frame them', async () => {
  const reply = await fetch(`${world.url}/voice`)
  const policy = reply.headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  const text = await reply.text()
  expect(text).toContain('<html lang="en" dir="ltr">')
  expect(text).not.toMatch(
    /<script(?! type="application\/json"|(?: type="module")? src="\/voice\/)|<style| style=| on\w+=/,
  )
  expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
  for (const name of ['page.js', 'page.css', 'sound-worklet.js']) {
    const file = await fetch(`${world.url}/voice/${name}`)
    expect(file.headers.get('content-type')).toMatch(
      name.endsWith('css') ? /^text\/css/ : /^text\/javascript/,
    )
    expect(file.headers.get('x-content-type-options')).toBe('nosniff')
  }
  for (const name of ['tsconfig.json', '..%2fvoice.ts', 'page.ts'])
    expect((await fetch(`${world.url}/voice/${name}`)).status).toBe(404)
})

describe.skipIf(browserPath === undefined || !hasEspeak)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openSpeakingBrowser(stack)
  })
  const open = (options: Parameters<typeof VoicePage.open>[2]) => VoicePage.open(browser, world.url, options)
  const free = () => until(() => world.app.realtime.busy === 0)

  test('who speaks is heard, written down and answered aloud, sees the cost run, hangs up, and reads the receipt', async () => {
    const key = await world.key()
    const agent = (await key.post('/v1/agents', { name: 'راهنما', instructions: 'کوتاه پاسخ بده.' })).body
    await using phone = await open({
      lang: 'fa',
      before: withTimeToConnect,
      viewport: { width: 360, height: 740 },
      reducedMotion: 'reduce',
    })
    await phone.useKey(key.secret)
    await phone.says('#calls-list', /./)
    await phone.page.selectOption('#agent', { label: 'راهنما' })
    await phone.page.selectOption('#voice', 'sandbox-mina')
    expect(await phone.page.locator('#model').isDisabled()).toBe(true)
    await phone.talk()
    await phone.says('.said.user', /شبیه‌ساز/)
    expect(await phone.says('.said.assistant', /شبیه‌ساز خرد شنید/)).not.toMatch(/[0-9]/)
    expect(
      await phone.value('[...document.querySelectorAll(".said p")].every((line) => line.dir === "auto")'),
    ).toBe(true)
    expect(await phone.says('#spent', /[۱-۹]/)).toMatch(/^[۰-۹٫]+ اعتبار$/)
    await phone.says('#state', /^دستیار حرف می‌زند$/)
    expect(await phone.value('getComputedStyle(document.querySelector(".disc")).animationName')).toBe('none')
    await until(async () => (await phone.value<number>('energy()')) > 0.001)
    expect((await key.get(`${calls}?limit=1`)).body.data).toMatchObject([
      { status: 'active', transport: 'webrtc', store: false, agent_id: agent.id },
    ])
    await phone.talk()
    await phone.says('#note', /^تماس پایان یافت\.$/)
    const listed = await phone.says('.one-call', /اعتبار · تماس پایان یافت/)
    expect(listed).toMatch(/^[۰-۹]+ \S+ ۱۴[۰-۹]{2}، [۰-۹]{2}:[۰-۹]{2}/)
    await phone.page
      .getByRole('button', { name: /^رسید تماس/ })
      .first()
      .click()
    const receipt = await phone.says('.opened', /جمع/)
    for (const step of ['نوشتن گفتار', 'پاسخ مدل', 'گفتن پاسخ']) expect(receipt).toContain(step)
    const { microcredits, seconds } = (await key.get(calls)).body.data[0]
    const total = (Math.ceil(microcredits / 10_000) / 100).toLocaleString('fa-IR')
    expect(receipt).toContain(`${total} اعتبار`)
    // What it ran to at last, with what was under way at the end.
    await phone.says('#spent', new RegExp(`^${total} اعتبار$`))
    expect(listed).toContain((seconds % 60).toLocaleString('fa-IR', { minimumIntegerDigits: 2 }))
    expect(phone.complaints).toEqual([])
    await free()
  })

  test('who has signed in talks without a key, in the language of the console; a stranger is led to sign in and back', async () => {
    const sara = await newMember(world, 'developer')
    const context = await browser.newContext({ locale: 'en-US' })
    await using stack = new AsyncDisposableStack()
    stack.defer(() => context.close())
    const page = await context.newPage()
    await page.goto(`${world.url}/voice`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.waitForURL('**/sign-in?return_to=%2Fvoice')
    // As the console leaves it behind: the cookie, and beside it the hint and the choices.
    await context.addCookies(
      [...sara.cookies].map(([name, value]) => ({ name, value, url: world.url, httpOnly: true })),
    )
    await page.evaluate(
      `Object.assign(localStorage, { 'kherad.signed-in': '1', 'kherad.locale': 'fa', 'kherad.project': '${world.project}' })`,
    )
    const proofs: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.url().includes('/v1/')) proofs.push(request.headers()['authorization'])
    })
    const sockets: string[] = []
    page.on('websocket', (socket) => sockets.push(socket.url()))
    await withoutWebRtc(page)
    await page.goto(`${world.url}/voice`)
    await page.getByRole('button', { name: 'شروع تماس' }).click()
    await page.locator('.said.assistant').first().waitFor()
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
    expect(sockets).toEqual([expect.stringContaining(`project=${world.project}`)])
    expect(proofs.filter((proof) => proof !== undefined)).toEqual([])
    await page.getByRole('button', { name: 'پایان تماس' }).click()
    await free()
    await page.getByRole('link', { name: 'کنسول خرد' }).waitFor()
    // A key can still be typed.
    await page.getByRole('button', { name: 'با کلید' }).click()
    await page.locator('#key').fill((await world.key()).secret)
    await page.locator('#key').press('Enter')
    await page.locator('#key-line').waitFor()
  })

  test('where WebRTC does not connect, its call is given up and a WebSocket carries sound both ways; what is kept by choice is heard and deleted', async () => {
    const key = await world.key()
    const deaf = (page: Page) =>
      page.route(address, async (route) => {
        const answer = await route.fetch()
        // The port of nobody.
        const body = (await answer.text()).replace(/(a=candidate:.* 127\.0\.0\.1 )\d+/g, '$19')
        await route.fulfill({ response: answer, body })
      })
    const before = (page: Page) => Promise.all([deaf(page), withTimeToEnd(page)])
    await using desk = await open({ lang: 'en', before })
    desk.page.on('dialog', (dialog) => void dialog.accept())
    await desk.useKey(key.secret)
    await desk.page.locator('#keep').check()
    await desk.talk()
    await desk.says('#note', /WebRTC did not connect/)
    await desk.says('.said.assistant', /./)
    await until(async () => (await desk.value<number>('loudness()')) > 0.02)
    await desk.says('#spent', /^[\d.]+ credits$/)
    await desk.talk()
    await free()
    await desk.says('.one-call >> nth=0', /The call has ended/)
    expect((await key.get(`${calls}?limit=2`)).body.data).toMatchObject([
      { transport: 'websocket', store: true },
      { transport: 'webrtc', turns: 0, microcredits: '0' },
    ])
    await until(async () => (await key.get(calls)).body.data[0].sound === 'stored')
    await desk.value('void document.querySelectorAll(".one-call").forEach((one) => one.classList.add("old"))')
    await desk.page.locator('#reload').click()
    await desk.page.locator('.one-call:not(.old)').first().waitFor()
    await desk.page
      .getByRole('button', { name: /^Words and sound of the call/ })
      .first()
      .click()
    await desk.says('.opened .lines', /^You · 0:/)
    await desk.page.getByRole('button', { name: 'Listen' }).click()
    await until(() => desk.value('document.querySelector("audio[controls]")?.duration > 2'))
    await desk.page.getByRole('button', { name: 'Delete words and sound' }).click()
    await until(async () => !(await key.get(calls)).body.data[0].store)
    expect(desk.complaints).toEqual([])
  })

  test('neither key nor secret of a call is stored, or stands in an address, a field or the page', async () => {
    const key = await world.key()
    await using one = await open({ lang: 'en', before: withoutWebRtc })
    let secret = ''
    one.page.on('response', async (reply) => {
      if (reply.url().endsWith('/client_secrets')) secret = (await reply.json()).value
    })
    await one.useKey(key.secret)
    await one.page.locator('#talk').waitFor()
    await one.talk()
    await one.says('#state', /Listening|speaking/)
    await until(() => secret !== '')
    expect(secret).toMatch(/^ek_/)
    const kept = await one.value<string>(`(async () => JSON.stringify([
      { ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href, name,
      await indexedDB.databases(), await caches.keys(), document.documentElement.outerHTML,
      [...document.querySelectorAll('input, select')].map((one) => one.value),
    ]))()`)
    for (const one of [key.secret, secret]) expect(kept).not.toContain(one)
    for (const url of one.requests) expect(url).not.toMatch(/khr_|ek_/)
    expect(kept.startsWith('[{},{},"",null,')).toBe(true)
    expect(await one.page.context().cookies()).toEqual([])
    await one.page.getByRole('button', { name: 'Forget the key' }).click()
    await one.page.locator('#key').waitFor()
    await free()
  })

  test.each([
    ['fa', /^این کلید درست نیست/],
    ['en', /^This key is wrong/],
  ] as const)('%s: a key that is wrong is refused in a sentence', async (lang, sentence) => {
    await using one = await open({ lang })
    await one.useKey(`khr_${'x'.repeat(43)}`)
    await one.says('#key-error', sentence)
    expect(await one.page.locator('#desk').isVisible()).toBe(false)
  })

  test('what stands in the way of a call is said in the language of the page', async () => {
    const key = await world.key()
    const poor = await world.stranger(0)
    await using fa = await open({ lang: 'fa' })
    await using en = await open({ lang: 'en' })
    const refused = async (name: string) => {
      for (const one of [fa, en])
        await one.value(
          `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', '${name}'))`,
        )
    }
    const both = async (persian: RegExp, english: RegExp) => {
      for (const [one, sentence] of [
        [fa, persian],
        [en, english],
      ] as const) {
        await one.talk()
        await one.says('#call-error', sentence)
        await one.says('#talk-label', /^(شروع تماس|Start talking)$/)
      }
    }
    const hear = 'delete navigator.mediaDevices.getUserMedia'
    for (const one of [fa, en]) await one.useKey(poor.client.secret)
    await both(/^موجودی برای شروع تماس کافی نیست/, /^The balance is too low/)
    for (const one of [fa, en]) {
      await one.page.locator('#forget').click()
      await one.useKey(key.secret)
    }
    {
      await using _taken = await connect(world, key.secret)
      await both(/^همهٔ جاهای تماس پر است/, /^All places for calls are taken/)
    }
    await refused('NotAllowedError')
    await both(/^اجازهٔ میکروفون داده نشد/, /^The microphone was not allowed/)
    await refused('NotFoundError')
    await both(/^میکروفونی پیدا نشد/, /^No microphone was found/)
    for (const one of [fa, en]) await one.value(hear)
    await free()
    for (const one of [fa, en]) await one.page.route('**/v1/**', (route) => route.abort())
    await both(/^سرویس پاسخ نمی‌دهد/, /^The service does not answer/)
  })

  test.each([
    ['', 'disconnected', /^ارتباط قطع شد/, /^The connection was lost/],
    ['credits', 'credits', /^موجودی به پایان رسید/, /^The balance is used up/],
  ] as const)('a call that ends with reason "%s" says why: %s', async (reason, _shown, persian, english) => {
    const key = await world.key()
    for (const [lang, sentence] of [
      ['fa', persian],
      ['en', english],
    ] as const) {
      const before = async (page: Page) => {
        await withoutWebRtc(page)
        await page.routeWebSocket('**/v1/realtime', (socket) => {
          socket.send(JSON.stringify({ type: 'session.created' }))
          if (reason) socket.send(JSON.stringify({ type: 'kherad.ending', reason, seconds: 0 }))
          void socket.close()
        })
      }
      await using one = await open({ lang, before })
      await one.useKey(key.secret)
      await one.talk()
      await one.says('#call-error', sentence)
    }
  })

  test('without TLS the page says why there is no microphone and where there is one', async () => {
    const url = world.url.replace('127.0.0.1', untrustedHost)
    for (const [lang, guide] of [
      ['fa', 'docs/guides/voice/calls.fa.md'],
      ['en', 'docs/guides/voice/calls.md'],
    ] as const) {
      await using one = await VoicePage.open(browser, url, { lang })
      const notice = await one.says('#insecure', /HTTPS/)
      expect(notice).toContain(`http://localhost:${new URL(url).port}/voice`)
      expect(notice).toContain(guide)
      const key = await world.key()
      await one.useKey(key.secret)
      await one.page.locator('#desk').waitFor()
      expect(await one.page.locator('#talk').isDisabled()).toBe(true)
    }
  })

  test.each([
    ['fa', 'rtl', 360, 'light'],
    ['fa', 'rtl', 1280, 'dark'],
    ['en', 'ltr', 360, 'dark'],
    ['en', 'ltr', 1280, 'light'],
  ] as const)(
    '%s, %s, %d pixels, %s: it fits, reads well and can be used by keyboard and screen reader',
    async (lang, direction, width, colorScheme) => {
      const key = await world.key()
      await (await connect(world, key.secret))[Symbol.asyncDispose]()
      await free()
      await using one = await open({ lang, viewport: { width, height: 800 }, colorScheme })
      // By the keyboard alone.
      await one.page.locator('#key').focus()
      await one.page.keyboard.type(key.secret)
      await one.page.keyboard.press('Enter')
      await one.page.locator('.one-call').first().waitFor()
      expect(await one.value('document.activeElement.id')).toBe('talk')
      await one.page.locator('.buttons button').first().press('Enter')
      await one.page.locator('.opened .line').last().waitFor()
      const seen = await one.value<Record<string, unknown>>(lookAround)
      expect(seen).toEqual({
        direction,
        wide: width,
        unnamed: [],
        twice: [],
        headings: [1, 2, 2],
        faint: [],
        small: [],
      })
      expect(one.complaints).toEqual([])
      for (const url of one.requests) expect(new URL(url).origin).toBe(world.url)
    },
  )
})

/**
 * Runs in the page: its direction and width; controls without a name; ids that are not unique; levels of headings; texts whose contrast is below 4.5 (WCAG
 * 1.4.3), and controls that are smaller than 24 pixels (2.5.8).
 */
const lookAround = `(() => {
  const isSeen = (one) => one.checkVisibility() && one.getClientRects().length > 0 && !one.closest('.unseen')
  const all = [...document.querySelectorAll('body *')].filter(isSeen)
  const channels = (color) => color.match(/[\\d.]+/g).map(Number)
  const light = (color) => {
    const [r, g, b] = channels(color).slice(0, 3).map((one) => one / 255).map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor
      if (channels(color)[3] !== 0) return color
    }
    return 'rgb(255, 255, 255)'
  }
  const contrast = (one) => {
    const [a, b] = [light(getComputedStyle(one).color), light(behind(one))].sort((x, y) => y - x)
    return (a + 0.05) / (b + 0.05)
  }
  const hasText = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '')
  const controls = all.filter((one) => one.matches('a, button, input, select, [tabindex]') && !one.disabled)
  const nameOf = (one) => one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? document.getElementById(one.getAttribute('aria-labelledby'))?.textContent ?? one.textContent
  const ids = [...document.querySelectorAll('[id]')].map((one) => one.id)
  return {
    direction: getComputedStyle(document.documentElement).direction,
    wide: document.documentElement.scrollWidth,
    unnamed: controls.filter((one) => !nameOf(one)?.trim()).map((one) => one.outerHTML),
    twice: ids.filter((id, index) => ids.indexOf(id) !== index),
    headings: [...document.querySelectorAll('h1, h2, h3')].filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1])),
    faint: all.filter((one) => hasText(one) && !one.closest(':disabled') && contrast(one) < 4.5).map((one) => one.outerHTML.slice(0, 80) + contrast(one)),
    small: controls.filter((one) => { const { width, height } = one.getBoundingClientRect(); return width < 24 && one.type !== 'checkbox' || height < 22 }).map((one) => one.outerHTML),
  }
})()`
