/** The to-do app of examples/todo, made by the commands of its README and used in a real browser. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot } from '../../harness/world.ts'
import { browserPath } from '../../media/browser.ts'
import { type ExampleApp, openExample, password } from './example-app.ts'

const note = 'نان، پنیر، سبزی'

describe.skipIf(browserPath === undefined)('the to-do app', () => {
  let app: ExampleApp
  let file: string

  beforeAll(async () => {
    app = await openExample('todo', await boot(), [
      'npx kherad cloud create todo',
      'npx kherad cloud collections create todo todos',
      'npx kherad cloud functions deploy todo examples/todo/functions/summary.js',
    ])
    file = path.join(app.folder, 'یادداشت.txt')
    await writeFile(file, note)
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  async function enter(tab: Page, email: string, button: string): Promise<void> {
    await tab.getByLabel('ایمیل').fill(email)
    await tab.getByLabel('گذرواژه').fill(password)
    await tab.getByRole('button', { name: button }).click()
    await newTodo(tab).waitFor()
  }
  const newTodo = (tab: Page) => tab.getByPlaceholder('کار تازه…')
  const todo = (tab: Page, title: string) => tab.getByRole('checkbox', { name: title })
  async function add(tab: Page, title: string): Promise<void> {
    await newTodo(tab).fill(title)
    await tab.getByRole('button', { name: 'افزودن', exact: true }).click()
    await todo(tab, title).waitFor()
  }
  const text = (tab: Page, id: string) => expect.poll(() => tab.locator(id).textContent())

  test('who signs up keeps tasks, a private file and a report of a function over a reload, and a second user sees none of it', async () => {
    const today = new Intl.DateTimeFormat('fa-IR-u-ca-persian', { day: 'numeric', month: 'long' })
    const began = today.format(new Date())
    const sara = await app.visitor()
    await enter(sara, 'sara@example.com', 'ساختن حساب')
    await text(sara, '#left').toBe('هنوز کاری ننوشته‌اید.')
    for (const title of ['نان بخرم', 'به مادر زنگ بزنم', 'می‌خواهم <b>كتاب</b> بخوانم']) await add(sara, title)
    await text(sara, '#left').toBe('۳ کار مانده است.')
    // Midnight may have passed.
    expect([began, today.format(new Date())]).toContain(
      await sara.locator('#todos small').first().textContent(),
    )

    await todo(sara, 'نان بخرم').check()
    await text(sara, '#left').toBe('۲ کار مانده است.')
    await sara.getByRole('button', { name: 'حذف «به مادر زنگ بزنم»' }).click()
    await text(sara, '#left').toBe('۱ کار مانده است.')
    await sara.getByLabel('افزودن فایل').setInputFiles(file)
    await sara.getByText('یادداشت.txt').waitFor()
    await sara.getByRole('button', { name: 'گزارش کارها را بساز' }).click()
    const report = '۱ کار از ۲ کار انجام شده است؛ بعدی: «می‌خواهم <b>كتاب</b> بخوانم».'
    await text(sara, '#summary').toBe(report)

    await sara.reload()
    await todo(sara, 'نان بخرم').waitFor()
    expect(await todo(sara, 'نان بخرم').isChecked()).toBe(true)
    expect(await sara.locator('#todos li').count()).toBe(2)
    const downloading = sara.waitForEvent('download')
    await sara.getByRole('button', { name: 'دریافت' }).click()
    const saved = await downloading
    expect(saved.suggestedFilename()).toBe('یادداشت.txt')
    expect(await readFile(await saved.path(), 'utf8')).toBe(note)

    const omid = await app.visitor()
    await enter(omid, 'omid@example.com', 'ساختن حساب')
    await text(omid, '#left').toBe('هنوز کاری ننوشته‌اید.')
    expect(await omid.locator('#todos li, #files li').count()).toBe(0)
    await omid.getByRole('button', { name: 'گزارش کارها را بساز' }).click()
    await text(omid, '#summary').toBe('هنوز کاری نوشته نشده است.')

    await omid.getByRole('button', { name: 'خروج' }).click()
    await enter(omid, 'sara@example.com', 'ورود')
    await text(omid, '#left').toBe('۱ کار مانده است.')
    await omid.getByText('یادداشت.txt').waitFor()
    expect(app.complaints).toEqual([])
  })

  test('a wrong password is told in Persian, and nobody comes in', async () => {
    const tab = await app.visitor()
    await tab.getByLabel('ایمیل').fill('nobody@example.com')
    await tab.getByLabel('گذرواژه').fill(password)
    await tab.getByRole('button', { name: 'ورود' }).click()
    await text(tab, '#notice').toBe('نشانی ایمیل یا گذرواژه نادرست است.')
    expect(await newTodo(tab).isVisible()).toBe(false)
  })
})
