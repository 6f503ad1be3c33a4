/** The measures that the other files rely on notice what they are for. */
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { layoutFaults } from '../../account/console/layout.ts'
import { treeFaults } from '../../account/console/reading.ts'
import { browserPath } from '../../account/console/scene.ts'
import { startMs } from '../../harness/until.ts'

describe.skipIf(browserPath === undefined)('a page', () => {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath as string, args: ['--no-sandbox'] })
    page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  }, startMs)
  afterAll(() => browser?.close())

  const show = (body: string): Promise<void> =>
    page.setContent(`<!doctype html><style>* { font: 16px/1.5 sans-serif }</style><body>${body}</body>`)

  test.each([
    ['scrolls sideways', '<div style="inline-size: 500px">wide</div>', 'wider than its window'],
    [
      'has a text outside of its window',
      '<p style="position: absolute; left: -60px">outside</p>',
      'outside of the window',
    ],
    [
      'cuts a text at its side',
      '<p style="overflow: hidden; inline-size: 40px; white-space: nowrap">a long text</p>',
      'is cut',
    ],
    [
      'cuts a text at its end',
      '<p style="overflow: hidden; block-size: 10px">a text<br>of two lines</p>',
      'is cut',
    ],
    [
      'has a text that sticks out of its box',
      '<div style="border: 1px solid; inline-size: 60px; white-space: nowrap">longer than the box</div>',
      'sticks out',
    ],
    [
      'has two texts on each other',
      '<p>one text</p><p style="margin-top: -35px">another text</p>',
      'texts lie on each other',
    ],
    [
      'has two buttons on each other',
      '<button style="block-size: 40px">one one</button><button style="block-size: 40px; margin-left: -40px">two two</button>',
      'controls lie on each other',
    ],
    [
      'has a button that is too small',
      '<button style="block-size: 20px; padding: 0">small</button>',
      'px small',
    ],
  ])('that %s is found', async (_what, body, fault) => {
    await show(`<main>${body}</main>`)
    expect((await layoutFaults(page)).join('\n')).toContain(fault)
  })

  test('that is whole has no fault', async () => {
    await show(`<main><h1>Keys</h1><p>A text with <a href="/x">a link</a>.</p><button style="block-size: 32px">Make</button>
      <div style="overflow-x: auto"><table><tr><td style="white-space: nowrap">${'a wide table '.repeat(20)}</td></tr></table></div>
      <p style="overflow: hidden; text-overflow: ellipsis; white-space: nowrap">${'a name that is too long '.repeat(9)}</p></main>`)
    expect(await layoutFaults(page)).toEqual([])
    expect(await treeFaults(page)).toEqual([])
  })

  test.each([
    ['a button without a name', '<main><h1>a</h1><button></button></main>', 'a button has no name'],
    ['a field without a label', '<main><h1>a</h1><input></main>', 'a textbox has no name'],
    ['two main headings', '<main><h1>a</h1><h1>b</h1></main>', '2 headings of the first level'],
    ['no main part', '<h1>a</h1>', '0 main parts'],
    ['a heading that skips a level', '<main><h1>a</h1><h3>b</h3></main>', 'skips a level'],
  ])('with %s is found', async (_what, body, fault) => {
    await show(body)
    expect((await treeFaults(page)).join('\n')).toContain(fault)
  })
})
