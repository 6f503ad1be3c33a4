/** Every letter in a browser, at the widths in which mail programs show letters, with usual names and with those of hostile strangers. */
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LetterLocale } from '#account/letters'
import { composeSample, hostileNames, samplesOf } from '../../account/letter-samples.ts'
import { browserPath } from '../../media/browser.ts'

if (browserPath === undefined)
  console.warn('Letters are not opened in a browser: there is no Chromium on this machine.')

/** What a page measures of itself: see `measured`. */
interface Measures {
  /** By how many pixels the page is wider than its window. */
  overflow: number
  /** Texts of elements that stick out of the window. */
  outside: string[]
  /** Sides of text that do not fit the language. */
  sides: string[]
  smallestText: number
}

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({
      ...{ executablePath: browserPath as string, args: ['--no-sandbox'], timeout: 120_000 },
    })
  })
  afterAll(() => browser?.close())

  for (const width of [600, 360])
    for (const locale of ['fa', 'en'] as const)
      test(`each letter fits ${width} pixels in ${locale}, asks nothing of the network, and its text stands on its side`, async () => {
        const page = await browser.newPage({ viewport: { width, height: 800 } })
        const asked: string[] = []
        page.on('request', (request) => asked.push(request.url()))
        for (const hostile of [undefined, ...hostileNames])
          for (const letter of samplesOf(locale, hostile)) {
            const name = `${letter.kind}, ${hostile ?? 'usual'}`
            const seen = await measured(page, composeSample(letter, locale).html, locale)
            expect(seen, name).toEqual({ overflow: 0, outside: [], sides: [], smallestText: 12 })
          }
        expect(asked.filter((url) => !url.startsWith('about:'))).toEqual([])
        await page.close()
      })
})

/** Opens a letter as mail programs show it that drop style blocks and what stands outside of the body. */
async function measured(page: Page, html: string, locale: LetterLocale): Promise<Measures> {
  const body = html.slice(html.indexOf('<body'), html.indexOf('</body>'))
  const shown = body.replace(/^<body[^>]*>/, '').replace(/<style.*?<\/style>/gs, '')
  await page.setContent(`<!doctype html><html><body style="margin:0">${shown}</body></html>`)
  return page.evaluate(`(${measure})('${locale === 'fa' ? 'rtl' : 'ltr'}')`)
}

/** Runs in the page, whose types the tests do not have. */
const measure = `(side) => {
  const texts = [...document.querySelectorAll('td, bdi, a')].filter(({ textContent }) => textContent !== '')
  const isOutside = (element) => {
    const { left, right } = element.getBoundingClientRect()
    return left < 0 || right > innerWidth
  }
  const isOnSide = (cell) => {
    const { direction, textAlign } = getComputedStyle(cell)
    const align = side === 'rtl' ? 'right' : 'left'
    return direction === side && ['center', align].includes(textAlign.replace('-webkit-', ''))
  }
  const wrong = [...document.querySelectorAll('td')].filter((cell) => !isOnSide(cell))
  return {
    overflow: document.documentElement.scrollWidth - innerWidth,
    outside: texts.filter(isOutside).map(({ textContent }) => textContent),
    sides: wrong.map(({ outerHTML }) => outerHTML.slice(0, 100)),
    smallestText: Math.min(...texts.map((element) => parseFloat(getComputedStyle(element).fontSize))),
  }
}`
