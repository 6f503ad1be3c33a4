/** Every page of the console in both languages, wide and on a phone, light and dark, in every state in which an account or a connection may be. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostileTexts } from '../../account/console/hostile.ts'
import { expectHarmless, faultsOf, personalPaths } from '../../account/console/looks.ts'
import { seriousViolations } from '../../account/console/reading.ts'
import { browserPath, ConsoleScene, type Locale, phone, type Tab, wide } from '../../account/console/scene.ts'
import { startMs } from '../../harness/until.ts'
import { emptyAccount, hostileAccount, largeAccount, openAs, type Shown } from './accounts.ts'

if (browserPath === undefined)
  console.warn('The pages of the console are not looked at: there is no Chromium on this machine.')

const locales: readonly Locale[] = ['fa', 'en']

describe.skipIf(browserPath === undefined)('each page', () => {
  let scene: ConsoleScene
  const accounts: Partial<Record<string, Shown>> = {}
  beforeAll(async () => {
    scene = await ConsoleScene.open()
    accounts['with hostile names'] = await hostileAccount(scene)
    accounts['without data'] = await emptyAccount(scene)
    accounts['without credit'] = await emptyAccount(scene, 0)
    accounts['with 400 rows'] = await largeAccount(scene)
  }, 2 * startMs)
  afterAll(() => scene?.[Symbol.asyncDispose]())

  /**
   * What is wrong with the page that is shown, at both widths. Its colours are looked at in the dark too, in Persian alone: neither boxes nor
   * names depend on them, nor they on the language.
   */
  async function lookAt(tab: Tab, path: string, locale: Locale): Promise<string[]> {
    await tab.page.setViewportSize(wide)
    const found = await faultsOf(tab, true)
    if (locale === 'fa') {
      await tab.page.emulateMedia({ colorScheme: 'dark' })
      found.push(...(await seriousViolations(tab.page)).map((fault) => `dark: ${fault}`))
      await tab.page.emulateMedia({ colorScheme: 'light' })
    }
    await tab.page.setViewportSize(phone)
    found.push(...(await faultsOf(tab, false)).map((fault) => `${phone.width}: ${fault}`))
    return found.map((fault) => `${path} ${fault}`)
  }

  for (const state of ['with hostile names', 'without data', 'without credit', 'with 400 rows'])
    for (const locale of locales)
      test(`of an account ${state} is whole, in ${locale}`, async () => {
        const shown = accounts[state]!
        const displayName = state === 'with hostile names' ? hostileTexts[1] : 'سارا رضایی'
        await using tab = await openAs(scene, shown, { locale, displayName })
        const faults: string[] = []
        for (const path of await personalPaths(shown.ids)) {
          await tab.open(path)
          faults.push(...(await lookAt(tab, path, locale)))
          await expectHarmless(tab, path)
          faults.push(...tab.takeFaults().map((fault) => `${path}: ${fault}`))
        }
        expect(faults, faults.join(' | ')).toEqual([])
      })

  for (const role of ['viewer', 'billing', 'developer'] as const)
    test(`of the navigation is whole for the role ${role}, and asks for nothing that the role may not see`, async () => {
      const shown = accounts['with hostile names']!
      await using tab = await openAs(scene, shown, { role })
      await tab.open('/')
      const links = await tab.page.getByRole('navigation').getByRole('link').all()
      const paths = await Promise.all(links.map((link) => link.getAttribute('href')))
      expect(paths.length).toBeGreaterThan(1)
      const faults: string[] = []
      for (const path of paths) {
        await tab.open(path!)
        faults.push(...(await faultsOf(tab, false)), ...tab.takeFaults())
      }
      expect(faults, faults.join(' | ')).toEqual([])
    })

  /** Opens a page while the API answers so, and resolves once it shows that. */
  async function openBroken(tab: Tab, path: string, answer: 'nothing' | 'failure'): Promise<void> {
    await tab.page.unrouteAll({ behavior: 'ignoreErrors' })
    await tab.page.route(isOfPage, (route) =>
      answer === 'nothing'
        ? new Promise<void>(() => undefined)
        : route.fulfill({ status: 500, contentType: 'application/json', body: JSON.stringify(failure) }),
    )
    await tab.page.goto(scene.origin + path)
    // The page's own, within the frame: the shell shows the like of it while it reads who is signed in.
    const frame = tab.page.locator('main#page')
    const shown = answer === 'nothing' ? '[role="status"][aria-label]' : '[role="alert"]:not(:empty)'
    await frame.locator(shown).or(frame.locator('form')).first().waitFor()
  }

  for (const answer of ['nothing', 'failure'] as const)
    for (const locale of locales)
      test(`whose reads get ${answer} is whole, in ${locale}`, async () => {
        const shown = accounts['with hostile names']!
        await using tab = await openAs(scene, shown, { locale })
        const faults: string[] = []
        for (const path of await personalPaths(shown.ids)) {
          await openBroken(tab, path, answer)
          const found = await lookAt(tab, path, locale)
          // The title of a page may come with what it reads.
          faults.push(...found.filter((fault) => !fault.includes('headings of the first level')))
        }
        expect(faults, faults.join(' | ')).toEqual([])
      })
})

/** What a page reads, beside who is signed in and where. */
const isOfPage = (url: URL): boolean =>
  url.pathname.startsWith('/v1/') && !['/v1/me', '/v1/me/accounts'].includes(url.pathname)

const failure = {
  type: 'error',
  request_id: '01a1771d-bcc0-700a-bbde-444852b9fe12',
  error: { type: 'api_error', code: 'INTERNAL_ERROR', message: 'Something went wrong on the server.' },
}
