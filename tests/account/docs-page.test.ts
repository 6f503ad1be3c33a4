import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { declaredCodes } from '#platform/errors'
import { isOfPeople } from '#platform/http'
import { turnedIn } from '../../scripts/code-direction.ts'
import { routes } from '../../src/capabilities.ts'
import { newMember } from '../harness/session.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { startMs } from '../harness/until.ts'
import type { World } from '../harness/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

const load = (query = '', language?: string): Promise<Response> =>
  fetch(`${world.url}/docs${query}`, {
    headers: language === undefined ? {} : { 'accept-language': language },
  })

test('the reference comes in the language that is asked for, and a link leads to the other', async () => {
  for (const [query, accepted, language] of [
    ['', undefined, 'en'],
    ['', 'fa-IR,fa;q=0.9,en;q=0.8', 'fa'],
    ['?lang=fa', 'en', 'fa'],
    ['?lang=en', 'fa', 'en'],
  ] as const) {
    const reply = await load(query, accepted)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(reply.headers.get('content-language')).toBe(language)
    const text = await reply.text()
    expect(text).toContain(`<html lang="${language}" dir="${language === 'fa' ? 'rtl' : 'ltr'}">`)
    expect(text).toContain(`href="?lang=${language === 'fa' ? 'en' : 'fa'}"`)
  }
  expect((await load('?lang=de')).status).toBe(400)
})

test('the page loads nothing from elsewhere and may run nothing but its own script', async () => {
  const reply = await load()
  const policy = reply.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe')
  const text = await reply.text()
  expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
  expect(text).not.toMatch(/@import|url\(/)
})

test('every error code is explained in both languages', async () => {
  for (const language of ['fa', 'en']) {
    const text = await (await load(`?lang=${language}`)).text()
    for (const code of declaredCodes()) expect(text, code).toContain(`<div id="${code}">`)
    expect(text).not.toMatch(/undefined|\[object|NaN\b(?!")/)
  }
})

test('no technical name is shown turned over, and no backtick, in the Persian page', async () => {
  const page = await (await load('?lang=fa')).text()
  const bare = page
    .replaceAll(/<(style|script|pre)\b.*?<\/\1>/gs, '')
    .replaceAll(/<(code|var)\b[^>]*>.*?<\/\1>/gs, 'code')
    .replaceAll(/<\/?(?:a|b|bdi|em|span|strong)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, '\n')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
  expect(bare).toContain('هر کلید معتبر')
  expect(turnedIn(bare)).toEqual([])
  expect(page, 'a slash before a detail has a mark after it').not.toMatch(/\/<var/)
  expect(bare.split('\n').filter((line) => line.includes('`'))).toEqual([])
})

test('the example of every list is one that it takes', async () => {
  const text = await (await load()).text()
  const key = await world.key()
  const person = await newMember(world, 'owner', { isOperator: true })
  const lists = routes.filter(
    ({ method, path, query }) =>
      method === 'GET' && !path.includes('{') && Type.IsObject(query) && 'limit' in query.properties,
  )
  expect(lists.length).toBeGreaterThan(4)
  for (const { path, scope } of lists) {
    const caller = isOfPeople({ scope }) ? person : key
    const address = `${world.app.config.baseUrl}${path}`
    const [, query = ''] = new RegExp(`curl (?:&#39;)?${address}(\\?[^ &]*)?(?:&#39;)? `).exec(text) ?? []
    expect(text).toContain(`${address}${query}`)
    expect((await caller.get(`${path}${query}`)).status, `${path}${query}`).toBe(200)
  }
})

const browserPath = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find(existsSync)
if (browserPath === undefined)
  console.warn('The pages are not looked at: there is no Chromium on this machine.')

/** Runs in the page. */
const lookAround = `({
  direction: getComputedStyle(document.documentElement).direction,
  wide: document.documentElement.scrollWidth,
  listed: [...document.querySelectorAll('.route')].map((route) => route.querySelector('.method').textContent + ' ' + route.querySelector('.path').textContent),
  codeDirections: [...new Set([...document.querySelectorAll('code, pre')].map((code) => getComputedStyle(code).direction))],
  unnamed: [...document.querySelectorAll('a, button, input')].filter((one) => !(one.textContent || one.getAttribute('aria-label'))).length,
  headings: [...document.querySelectorAll('h1, h2, h3, h4')].map((heading) => Number(heading.tagName[1])),
  landmarks: ['header', 'nav', 'main'].map((name) => document.querySelectorAll(name).length),
  dead: [...document.querySelectorAll('a[href^="#"]')].filter((link) => !document.getElementById(link.getAttribute('href').slice(1))).length,
  twice: [...document.querySelectorAll('[id]')].map((one) => one.id).filter((id, index, all) => all.indexOf(id) !== index),
})`

/** Runs in the page, too: the code blocks whose text reaches under their button. */
const coveredCode = `(() => {
  const frames = [...document.querySelectorAll('.frame')].filter((frame) => frame.querySelector('button')?.offsetWidth)
  const isCovered = (frame) => {
    const button = frame.querySelector('button').getBoundingClientRect()
    const text = document.createRange()
    text.selectNodeContents(frame.querySelector('code'))
    return [...text.getClientRects()].some((line) =>
      line.left < button.right && line.right > button.left && line.top < button.bottom && line.bottom > button.top)
  }
  return { looked: frames.length, covered: frames.filter(isCovered).map((frame) => frame.textContent) }
})()`

interface Seen {
  direction: string
  wide: number
  listed: string[]
  codeDirections: string[]
  /** Links, buttons and inputs that a screen reader cannot name. */
  unnamed: number
  headings: number[]
  landmarks: number[]
  /** Links to places that are not there. */
  dead: number
  /** Ids of more than one element. */
  twice: string[]
}

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: browserPath as string,
      args: ['--no-sandbox'],
      timeout: startMs,
    })
  })
  afterAll(() => browser?.close())

  interface Look {
    page: Page
    complaints: string[]
    requests: string[]
  }
  const looks = new Map<string, Promise<Look>>()
  /** Opened once for all tests: the page is long. */
  function look(language: 'fa' | 'en', width: number): Promise<Look> {
    const known = looks.get(`${language} ${width}`) ?? open(language, width)
    looks.set(`${language} ${width}`, known)
    return known
  }
  async function open(language: 'fa' | 'en', width: number): Promise<Look> {
    const page = await browser.newPage({ viewport: { width, height: 900 } })
    page.setDefaultTimeout(startMs)
    const complaints: string[] = []
    const requests: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) requests.push(request.url())
    })
    // The line may be idle while a busy machine still parses: the page's script has run once it is loaded.
    await page.goto(`${world.url}/docs?lang=${language}`, { waitUntil: 'load' })
    await page.waitForLoadState('networkidle')
    return { page, complaints, requests }
  }

  test.each([
    ['fa', 'rtl', 390],
    ['fa', 'rtl', 1280],
    ['en', 'ltr', 390],
    ['en', 'ltr', 1280],
  ] as const)(
    '%s, %s, %d pixels wide: no complaint, no other request, nothing wider than the window',
    async (language, direction, width) => {
      const { page, complaints, requests } = await look(language, width)
      expect(requests).toEqual([`${world.url}/docs?lang=${language}`])
      await page.locator('details').evaluateAll((all) => {
        for (const one of all) one.setAttribute('open', '')
      })
      const seen = await page.evaluate<Seen>(lookAround)
      expect(seen).toMatchObject({
        direction,
        codeDirections: ['ltr'],
        unnamed: 0,
        landmarks: [1, 1, 1],
        dead: 0,
        twice: [],
      })
      expect(seen.wide).toBeLessThanOrEqual(width)
      // Routes of one group stand together, wherever they are made.
      const groups = Map.groupBy(routes, ({ operation }) => operation.split('.')[0])
      const inGroups = [...groups.values()].flat()
      expect(seen.listed).toEqual(inGroups.map(({ method, path }) => `${method} ${path}`))
      // No level of headings is jumped over on the way down.
      for (const [index, level] of seen.headings.entries())
        expect(level - (seen.headings[index - 1] ?? 0)).toBeLessThanOrEqual(1)
      expect(complaints).toEqual([])
    },
  )

  test('the Persian page says in Persian what every field means and what every group is called', async () => {
    const { page } = await look('fa', 390)
    const isPersian = (text: string) => /[\u0600-\u06ff]/.test(text)
    const groups = await page.locator('nav .group').allTextContents()
    expect(groups.length).toBeGreaterThan(10)
    expect(groups.filter((name) => !isPersian(name))).toEqual([])
    const meanings = await page.locator('p.meaning').allTextContents()
    expect(meanings.length).toBeGreaterThan(100)
    // A lone name, such as msgbatch_…, is the same in every language.
    expect(meanings.filter((text) => !isPersian(text) && text.includes(' '))).toEqual([])
  })

  test('on a telephone no button of a code block stands on its code', async () => {
    for (const language of ['fa', 'en'] as const) {
      const { page } = await look(language, 390)
      const { looked, covered } = await page.evaluate<{ looked: number; covered: string[] }>(coveredCode)
      expect(looked).toBeGreaterThan(40)
      expect(covered).toEqual([])
    }
  })

  test('the filter leaves only the routes that match, in the page and in its contents', async () => {
    const { page } = await look('fa', 1280)
    await page.fill('#filter', 'post chat')
    expect(await page.locator('.route:visible').count()).toBe(1)
    expect(await page.locator('nav .routes li:visible').count()).toBe(1)
    await page.fill('#filter', 'chat گفت‌وگو')
    expect(await page.locator('.route:visible').count()).toBe(1)
    await page.fill('#filter', 'no such thing')
    expect(await page.locator('#nothing').isVisible()).toBe(true)
    await page.fill('#filter', '')
    expect(await page.locator('.route:visible').count()).toBe(routes.length)
  })

  test('the first call of the page, pasted into a shell, is answered', async () => {
    const { page } = await look('fa', 1280)
    const command = (await page.locator('pre').first().textContent()) as string
    const body = /-d '(.*)'$/s.exec(command)?.[1] as string
    expect(command).toContain(`curl ${world.app.config.baseUrl}/v1/chat/completions`)
    const key = await world.key()
    expect((await key.request('POST', '/v1/chat/completions', body)).status).toBe(200)
  })
})
