/** The lists of examples/lists, made by the commands of its README and used in a real browser. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { givePackage } from '#cloud/clouds'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { boot, dedicatedConfig } from '../../harness/world.ts'
import { browserPath } from '../../media/browser.ts'
import { type ExampleApp, openExample, password } from './example-app.ts'

describe.skipIf(browserPath === undefined || !(await hasJail()))('the lists that people share', () => {
  let app: ExampleApp
  let picture: string

  beforeAll(async () => {
    const world = await boot({ config: dedicatedConfig })
    const given = { accountId: world.account, packageId: undefined, offer: 'small', paidUntil: null }
    await givePackage(world.app, given)
    app = await openExample('lists', world, [
      'npx kherad cloud create lists --plan dedicated',
      'npx kherad cloud sql lists -f examples/lists/sql',
      'npx kherad cloud functions deploy lists examples/lists/functions/summary.ts',
    ])
    picture = path.join(app.folder, 'نان.png')
    const red = { width: 64, height: 48, channels: 3, background: '#c00' } as const
    await writeFile(picture, await sharp({ create: red }).png().toBuffer())
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  /** A browser of its own, with an account of its own. */
  async function person(email: string): Promise<Page> {
    const tab = await app.visitor()
    await tab.getByLabel('ایمیل').first().fill(email)
    await tab.getByLabel('گذرواژه').fill('کوتاه')
    await tab.getByRole('button', { name: 'ساختن حساب' }).click()
    const said = await tab
      .getByLabel('گذرواژه')
      .evaluate((field) => (field as unknown as { validationMessage: string }).validationMessage)
    expect(said).toBe('دست‌کم ۸ کاراکتر بنویسید.')
    await tab.getByLabel('گذرواژه').fill(password)
    await tab.getByRole('button', { name: 'ساختن حساب' }).click()
    await tab.getByRole('button', { name: 'خروج' }).waitFor()
    return tab
  }
  const list = (tab: Page, title: string): Locator => tab.getByRole('region', { name: title, exact: true })
  async function write(tab: Page, field: string, text: string): Promise<void> {
    await tab.getByLabel(field, { exact: true }).fill(text)
    await tab.getByLabel(field, { exact: true }).press('Enter')
  }

  test('who signs up keeps lists with pictures; another sees one of them once it is shared, and nothing else', async () => {
    const sara = await person('sara@example.com')
    await sara.getByText('هنوز فهرستی نساخته‌اید.').waitFor()
    for (const title of ['مهمانی', 'خانه']) {
      await write(sara, 'فهرست تازه', title)
      await list(sara, title).waitFor()
    }
    for (const title of ['نان سنگک', 'سبزی']) {
      await write(sara, 'چیز تازه در «مهمانی»', title)
      await list(sara, 'مهمانی').getByText(title, { exact: true }).waitFor()
    }
    await sara.getByLabel('تصویر برای «نان سنگک»').setInputFiles(picture)
    const shown = list(sara, 'مهمانی').getByAltText('تصویر «نان سنگک»')
    await shown.waitFor()
    await expect
      .poll(() => shown.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(64)
    await sara.getByRole('button', { name: 'چه مانده است؟' }).click()
    await sara.getByText('۲ چیز در ۲ فهرست مانده است؛ بعدی: «نان سنگک».').waitFor()

    await list(sara, 'خانه').getByText('خالی', { exact: true }).waitFor()

    const omid = await person('omid@example.com')
    await omid.getByText('هنوز فهرستی نساخته‌اید.').waitFor()
    expect(await omid.getByRole('region', { name: 'مهمانی' }).count()).toBe(0)
    await omid.getByRole('button', { name: 'چه مانده است؟' }).click()
    await omid.getByText('هنوز فهرستی ندارید.').waitFor()

    await write(sara, 'اشتراک «مهمانی» با', 'Omid@example.com')
    await list(sara, 'مهمانی').getByText('omid@example.com').waitFor()
    await omid.reload()
    await list(omid, 'مهمانی').getByAltText('تصویر «نان سنگک»').waitFor()
    expect(await omid.getByRole('region', { name: 'خانه' }).count()).toBe(0)
    await list(omid, 'مهمانی').getByRole('checkbox', { name: 'سبزی' }).check()
    await list(omid, 'مهمانی').getByText('۱ چیز مانده').waitFor()
    await sara.reload()
    await list(sara, 'مهمانی').getByText('۱ چیز مانده').waitFor()
    expect(app.complaints).toEqual([])

    await write(sara, 'اشتراک «مهمانی» با', 'nobody@example.com')
    await sara.getByText('کسی با این ایمیل اینجا حساب ندارد.').waitFor()
  })
})
