/** The file of the page Usage as people open it: in LibreOffice it says what the page says. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usageWords } from '../../../console/pages/usage/usage.words.ts'
import { browserPath, ConsoleScene } from '../../account/console/scene.ts'
import { exact, spendingAccount, tableOf } from '../../account/console/spending.ts'
import { startMs } from '../../harness/until.ts'
import { officeOpens, openedInOffice } from '../../work/documents/office.ts'

const canOpen = browserPath !== undefined && officeOpens('xlsx')
if (!canOpen)
  console.warn('The exports are not opened: there is no Chromium or no LibreOffice on this machine.')

describe.skipIf(!canOpen)('the file of the page Usage', () => {
  let scene: ConsoleScene
  beforeAll(async () => {
    scene = await ConsoleScene.open()
  }, startMs)
  afterAll(() => scene?.[Symbol.asyncDispose]())

  test.each(['fa', 'en'] as const)(
    'opened in LibreOffice, in %s, has the rows of the page with the same figures, and no formula',
    async (locale) => {
      const { account, project } = await spendingAccount(scene)
      await using tab = await scene.memberTab('owner', { account, project, locale })
      const { page } = tab
      await tab.open('/usage?split=customer&compare=none')
      await tab.choose(locale)
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: usageWords[locale].xlsx }).click(),
      ])
      const html = String(await openedInOffice(await readFile(await file.path()), 'xlsx', 'html'))
      const rows = html.split(/<tr\b/).slice(2)
      const shown = (await tableOf(tab)).slice(1, -1)
      expect(rows).toHaveLength(shown.length)
      // Both have the dearest row first.
      for (const [at, row] of rows.entries()) {
        const amounts = [...row.matchAll(/sdval="([^"]+)"/g)].map(([, text]) => Number(text))
        const inMicrocredits = amounts.map((amount) => exact(locale, BigInt(Math.round(amount * 1_000_000))))
        expect(inMicrocredits, row).toContain(shown[at]!.at(-1))
      }
      expect(html).toContain('=1+1')
      expect(tab.takeFaults()).toEqual([])
    },
  )
})
